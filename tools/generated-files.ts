/** Every committed file that is made from others: one function, so that writing and checking cannot differ. */
import { SUBGRAPH_NAMES } from '../platform/config.ts';
import { subgraphSdl } from '../platform/subgraph/build-subgraph.ts';
import { composeSupergraph } from './compose-supergraph.ts';
import { resolverTypes } from './resolver-types.ts';

/** Path from the root → text. Throws when the SDL does not parse or does not compose. */
export async function generatedFiles(root: URL): Promise<ReadonlyMap<string, string>> {
  const { supergraph, api } = composeSupergraph(root);
  const types = await Promise.all(
    SUBGRAPH_NAMES.map(async (name) => {
      const directory = `subgraphs/${name}`;
      return [`${directory}/resolvers.generated.ts`, await resolverTypes(subgraphSdl(new URL(`${directory}/schema.graphql`, root)))] as const;
    }),
  );
  return new Map([['schema/supergraph.graphql', supergraph], ['schema/api.graphql', api], ...types]);
}
