/** Markup as a value: whatever a template takes in is escaped, unless it is markup itself. */

const MARKUP = Symbol('markup');

/** Made by {@link html} alone: no text of a person and no JSON can pass for it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What a template takes in. `null`, `undefined` and `false` print nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Values may stand between elements and inside quoted attributes, nowhere else. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return { [MARKUP]: literals.map((literal, index) => literal + text(contents[index])).join('') };
}

/** The characters that leave. */
export function print(markup: Html): string {
  return markup[MARKUP];
}

function text(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'string' || typeof content === 'number')
    return String(content).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  return MARKUP in content ? content[MARKUP] : content.map(text).join('');
}
