/** Returns the cost of a window's completed live events, computed from the ledger itself. */
import { type Money, money } from '#kernel/money.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Window } from '#kernel/time/window.ts';
import { readPeriodCost } from './period-costs.query.ts';

export async function getLedgerCost(context: SubgraphContext, window: Window): Promise<Money> {
  const organizationId = organizationOf(context);
  return money(await context.database.find(organizationId, (tx) => readPeriodCost(tx, organizationId, window)));
}
