/** Executes a subgraph's schema directly: no HTTP, no serialization, the frozen principal passed as it is. */
import { execute } from 'graphql';
import { maskError } from '../subgraph/mask-error.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import type { SubgraphContext } from '../subgraph/context.ts';
import { createParser } from './parse-once.ts';
import type { SubgraphTransport } from './subgraph-transport.ts';

export function inProcessSubgraph(subgraph: Pick<Subgraph, 'schema' | 'database' | 'log'>): SubgraphTransport {
  const parseOnce = createParser();
  return {
    async execute(query, variables, principal) {
      const contextValue: SubgraphContext = { principal, database: subgraph.database, log: subgraph.log };
      const { data, errors } = await execute({ schema: subgraph.schema, document: parseOnce(query), variableValues: variables, contextValue });
      return {
        ...(data === undefined ? {} : { data }),
        ...(errors ? { errors: errors.map((error) => maskError(error, contextValue)) } : {}),
      };
    },
    close: async () => {},
  };
}
