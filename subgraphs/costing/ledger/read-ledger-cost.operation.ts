/** What completed live events of a span cost, from the ledger itself. */
import { type Money, money } from '../../../kernel/money.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { type Period, readPeriodCost } from './period-costs.query.ts';

export async function readLedgerCost(context: SubgraphContext, { start, end }: Period): Promise<Money> {
  const organizationId = organizationOf(context);
  return money(await context.database.read(organizationId, (tx) => readPeriodCost(tx, organizationId, { start, end })));
}
