/** `Window.margin`: what was earned in a span beside what it cost. */
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { addMonths } from '../../../kernel/time/calendar.ts';
import type { EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { fail } from '../../../schema/errors.ts';
import { amount } from '../../../kernel/money.ts';
import { MARGIN_MONTHS_MAX } from '../config.ts';
import { revenueByCustomer } from './margin-sums.query.ts';
import { isConnected } from '../connection/payment-connection.table.ts';
import { compareMargin } from './compare-margin.ts';
import { marginWarnings } from './margin-warnings.ts';
import { readWindow } from '../../../kernel/time/read-window.ts';
import { type ShownMargin, showMargin } from './show-margin.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decisions.md D45). */
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
  const { customers, connected } = await context.database.read(organizationId, async (tx) => ({
    customers: await revenueByCustomer(tx, organizationId, { start: start.iso, end: end.iso }),
    connected: await isConnected(tx, organizationId),
  }));
  const margin = compareMargin(
    costs,
    customers.map((customer) => ({
      name: customer.name,
      externalId: customer.external_id,
      revenue: amount(customer.revenue),
      records: customer.records,
      starting: customer.starting,
    })),
  );
  return showMargin(margin, marginWarnings(margin, connected));
}
