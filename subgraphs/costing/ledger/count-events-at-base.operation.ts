/** Counts the costs of a window that ignore a part of the context, because the rate card does not price it. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { countEntriesAtBase } from './costing-health.query.ts';

export async function countEventsAtBase(context: SubgraphContext, window: Window): Promise<number> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, (tx) => countEntriesAtBase(tx, organizationId, window));
}
