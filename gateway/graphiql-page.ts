/** GraphiQL for a browser: a small page, and its script and style as files of their own that the browser keeps. */
import { createHash } from 'node:crypto';
import { graphql } from '../schema/graphql.ts';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';

export interface GraphiqlPage {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  /** Paths that change with what they hold. */
  readonly scriptPath: string;
  readonly stylePath: string;
}

const FIRST_QUERY = graphql(`query ScopesAndPresets {
  permissionsManifest {
    scopes { name grants }
    presets { name scopes }
  }
}
`);

/** Typed headers may be credentials: they stay in the page. A session's cookie counts only with a header next to it. */
const OPTIONS = {
  title: 'GraphiQL',
  favicon: '/assets/icon.svg',
  defaultQuery: FIRST_QUERY,
  shouldPersistHeaders: false,
  additionalHeaders: { 'X-Requested-With': 'GraphiQL' },
};

/** Takes the rendered page apart: markup, one style and one script of nine megabytes. */
export function graphiqlPage(): GraphiqlPage {
  const rendered = renderGraphiQL(OPTIONS);
  const [beforeStyle, style, afterStyle] = cut(rendered, '<style>', '</style>');
  const [beforeScript, script, afterScript] = cut(afterStyle, '<script>', '</script>');
  const stylePath = `/graphql/assets/${fingerprint(style)}.css`;
  const scriptPath = `/graphql/assets/${fingerprint(script)}.js`;
  const html = `${beforeStyle}<link rel="stylesheet" href="${stylePath}">${beforeScript}<script src="${scriptPath}"></script>${afterScript}`;
  return { html: html.trim(), script, style, scriptPath, stylePath };
}

function cut(text: string, opening: string, closing: string): [before: string, inside: string, after: string] {
  const start = text.indexOf(opening);
  const end = text.indexOf(closing, start);
  if (start < 0 || end < 0) throw new Error(`GraphiQL's page has no ${opening}`);
  return [text.slice(0, start), text.slice(start + opening.length, end), text.slice(end + closing.length)];
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
