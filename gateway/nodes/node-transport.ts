/**
 * Resolves `Query.node`. The gateway reads the type from the id, and the subgraph that owns the type looks the object
 * up in the caller's organization (decision 53). It stores nothing, so it is always available.
 */
import { isObjectType } from 'graphql';
import { parseNodeId } from '#kernel/node-id.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Log } from '#platform/log.ts';
import { buildSchema } from '#platform/subgraph/build-subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import type { SubgraphTransport } from '#platform/transports/subgraph-transport.ts';
import { fail } from '#kernel/errors.ts';

/** Name of this subgraph in the supergraph. */
export const NODES = 'nodes';

const NODES_MAX = 100;

interface NodeReference {
  readonly __typename: string;
  readonly id: string;
}

/** An id of an unknown type fails with `NOT_FOUND`, and more than `NODES_MAX` ids with `VALIDATION_ERROR`. */
export function nodeTransport(log: Log): SubgraphTransport {
  const reference = (id: string): NodeReference => {
    const type = schema.getType(parseNodeId(id)?.type ?? '');
    if (!isObjectType(type) || !type.getInterfaces().some(({ name }) => name === 'Node'))
      fail('NOT_FOUND', 'No object has this id');
    return { __typename: type.name, id };
  };
  const schema = buildSchema(new URL('./schema.graphql', import.meta.url), {
    Node: { __resolveType: ({ __typename: type }: NodeReference) => type },
    Query: {
      node: (_: unknown, { id }: { id: string }) => reference(id),
      nodes: (_: unknown, { ids }: { ids: readonly string[] }) => {
        if (ids.length > NODES_MAX) fail('VALIDATION_ERROR', `ids must have at most ${NODES_MAX} entries`);
        return ids.map(async (id) => reference(id));
      },
    },
  });
  // No resolver of these types uses a database.
  return inProcessSubgraph({ schema, log, database: undefined as unknown as Database });
}
