/** Counts the costs of a window that are based on a guess about the reported counts. */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { countGuessedEntries } from './costing-health.query.ts';

export async function countGuessedEvents(context: SubgraphContext, window: Window): Promise<number> {
  const organizationId = organizationOf(context);
  return context.database.snapshot(organizationId, (tx) => countGuessedEntries(tx, organizationId, window));
}
