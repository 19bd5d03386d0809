/** Markup as a value: template values are escaped unless they are markup themselves. */

const MARKUP = Symbol('markup');

/** Created only by {@link html}, so that neither user text nor JSON can pass for it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** Template values. `null`, `undefined` and `false` print nothing. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Most texts have none of these characters. */
const SPECIAL = /[&<>"']/;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Values are allowed between elements and inside quoted attributes only. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let markup = literals[0] ?? '';
  for (const [index, content] of contents.entries()) markup += text(content) + (literals[index + 1] ?? '');
  return { [MARKUP]: markup };
}

/** Returns the HTML text. */
export function print(markup: Html): string {
  return markup[MARKUP];
}

function text(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'string')
    return SPECIAL.test(content) ? content.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '') : content;
  if (typeof content === 'number') return String(content);
  return MARKUP in content ? content[MARKUP] : content.map(text).join('');
}
