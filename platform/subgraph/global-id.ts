/** Global ids of a subgraph's objects: made for the caller's organization, and read back for `Query.node`. */
import { nodeIdOf, parseNodeId } from '#kernel/node-id.ts';
import { fail } from '#kernel/errors.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

export function globalId(context: SubgraphContext, type: string, key: string): string {
  return nodeIdOf(type, organizationOf(context), key);
}

/** The key in a global id. Fails with `NOT_FOUND` if the id belongs to another organization. */
export function keyOfGlobalId(context: SubgraphContext, id: unknown): string {
  const node = parseNodeId(String(id));
  return node?.organizationId === organizationOf(context) ? node.key : fail('NOT_FOUND', 'No object has this id');
}
