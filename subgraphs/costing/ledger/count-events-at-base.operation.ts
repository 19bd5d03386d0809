/** How many costs of a window leave out a part of their context, for which the rate card had no price. */
import type { Window } from '../../../kernel/time/window.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { countEntriesAtBase } from './costing-health.query.ts';

export async function countEventsAtBase(context: SubgraphContext, window: Window): Promise<number> {
  const organizationId = organizationOf(context);
  return context.database.read(organizationId, (tx) => countEntriesAtBase(tx, organizationId, window));
}
