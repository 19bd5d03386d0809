/** `Window.margin`: what was earned in a span beside what it cost. */
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { mapInSlices } from '../../../platform/slices.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { addMonths } from '../../../schema/calendar.ts';
import type { EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { fail } from '../../../schema/errors.ts';
import { amount } from '../../../schema/money.ts';
import { MARGIN_CUSTOMERS_MAX, MARGIN_MONTHS_MAX } from '../config.ts';
import { revenueByCustomer } from '../data/margin-sums.ts';
import { isConnected } from '../data/payment-connection.ts';
import { compareMargin } from '../rules/compare-margin.ts';
import { marginWarnings } from '../rules/margin-warnings.ts';
import { readWindow } from '../rules/read-window.ts';
import { listEndUser, type ShownMargin, showMargin } from '../rules/show-margin.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decisions.md D45), and for more customers than fit. */
export async function compareCostAndRevenue(
  context: SubgraphContext,
  window: { start: string; end: string },
  costs: EndUserCostLines,
): Promise<ShownMargin> {
  const { start, end } = readWindow(window);
  if (addMonths(new Date(start.epochMs), MARGIN_MONTHS_MAX).getTime() < end.epochMs) {
    fail(
      'UNPROCESSABLE_ENTITY',
      `The range from start_date to end_date must not be longer than ${MARGIN_MONTHS_MAX} months`,
    );
  }
  const organizationId = organizationOf(context);
  const { rows, connected } = await context.database.read(organizationId, async (tx) => ({
    rows: await revenueByCustomer(tx, organizationId, { start: start.iso, end: end.iso }, MARGIN_CUSTOMERS_MAX + 1),
    connected: await isConnected(tx, organizationId),
  }));
  if (rows.length > MARGIN_CUSTOMERS_MAX) fail('UNPROCESSABLE_ENTITY', `A margin takes at most ${MARGIN_CUSTOMERS_MAX} customers`);
  const customers = await mapInSlices(rows, (customer) => ({
    name: customer.name,
    externalId: customer.external_id,
    revenue: amount(customer.revenue),
    records: customer.records,
    starting: customer.starting,
  }));
  const margin = await compareMargin(costs, customers);
  return showMargin(margin, marginWarnings(margin, connected), () => mapInSlices(margin.endUsers, listEndUser));
}
