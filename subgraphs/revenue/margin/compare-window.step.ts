/** Reads the revenue of a window and compares it with the costs. */
import { amount } from '#kernel/money.ts';
import { refuseMonthsOver, type Window, windowSoFar } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { fail } from '#kernel/errors.ts';
import { MARGIN_CUSTOMERS_MAX, MARGIN_MONTHS_MAX } from '../config.ts';
import { compareMargin } from './compare-in-slices.step.ts';
import type { MarginComparison } from './compare-margin.ts';
import { revenueByCustomer } from './margin-sums.query.ts';

interface ComparedInput<More> {
  readonly costs: EndUserCostLines;
  readonly throughEnd: boolean;
  /** Reads additional data from the same snapshot. */
  readonly readMore: (tx: Transaction, compared: Window) => Promise<More>;
}

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decision 9, D45) or too many customers. */
export async function compareWindow<More>(
  context: SubgraphContext,
  window: Window,
  { costs, throughEnd, readMore }: ComparedInput<More>,
): Promise<{ readonly margin: MarginComparison; readonly more: More }> {
  refuseMonthsOver(window, MARGIN_MONTHS_MAX);
  const compared = throughEnd ? window : windowSoFar(window, requestedAt(context));
  const organizationId = organizationOf(context);
  const { rows, more } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await revenueByCustomer(tx, organizationId, compared, MARGIN_CUSTOMERS_MAX + 1),
    more: await readMore(tx, compared),
  }));
  if (rows.length > MARGIN_CUSTOMERS_MAX)
    fail('UNPROCESSABLE_ENTITY', `A margin can have at most ${MARGIN_CUSTOMERS_MAX} customers`);
  const customers = await mapInSlices(rows, (customer) => ({
    customerId: customer.customerId,
    name: customer.name,
    externalId: customer.externalId,
    revenue: amount(customer.revenue),
    records: customer.records,
    starting: customer.starting,
  }));
  return { margin: await compareMargin(costs, customers), more };
}
