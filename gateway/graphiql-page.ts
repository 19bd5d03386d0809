/** GraphiQL, for a browser. The page is ten megabytes: it is loaded when somebody first asks for it. */
import { graphql } from '../schema/graphql.ts';

const TITLE = 'GraphiQL';
const FIRST_QUERY = graphql('query ScopesAndPresets {\n  permissionsManifest {\n    scopes { name grants }\n    presets { name scopes }\n  }\n}\n');

let page: Promise<string> | undefined;

export function graphiqlPage(): Promise<string> {
  page ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) => renderGraphiQL({ title: TITLE, defaultQuery: FIRST_QUERY }));
  return page;
}
