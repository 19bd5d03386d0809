/** Composes the subgraphs' SDL into the supergraph that the gateway serves and the API that its clients see. */
import { composeServices } from '@apollo/composition';
import { lexicographicSortSchema, parse, printSchema } from 'graphql';
import { SUBGRAPH_NAMES } from '../platform/config.ts';
import { subgraphSdl } from '../platform/subgraph/build-subgraph.ts';

const HEADING = '# Composed by `npm run generate`. Do not edit.\n';

/** Said outright, so that no type becomes a root by its name alone: `type Subscription` did. */
const ROOTS = 'schema {\n  query: Query\n  mutation: Mutation\n}\n';

/** Both texts as they are committed. Throws with every sentence of the composer when the subgraphs do not fit together. */
export function composeSupergraph(root: URL): { readonly supergraph: string; readonly api: string } {
  const { supergraphSdl, errors, schema } = composeServices(
    SUBGRAPH_NAMES.map((name) => ({
      name,
      url: `http://${name}.invalid/graphql`,
      typeDefs: parse(subgraphSdl(new URL(`subgraphs/${name}/schema.graphql`, root))),
    })),
  );
  if (errors) throw new Error(errors.map((error) => error.message).join('\n'));
  const api = printSchema(lexicographicSortSchema(schema.toAPISchema().toGraphQLJSSchema()));
  return { supergraph: `${HEADING}${supergraphSdl}\n`, api: `${HEADING}${ROOTS}\n${api}\n` };
}
