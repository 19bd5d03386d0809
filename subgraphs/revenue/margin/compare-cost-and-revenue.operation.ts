/** `Window.margin`: revenue and cost of a window. */
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { refuseMonthsOver, type Window, windowSoFar } from '#kernel/time/window.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { fail } from '#schema/errors.ts';
import { amount } from '#kernel/money.ts';
import { MARGIN_CUSTOMERS_MAX, MARGIN_MONTHS_MAX } from '../config.ts';
import { recordsInOtherCurrencies, revenueByCustomer } from './margin-sums.query.ts';
import { isConnected } from '../connection/payment-connection.table.ts';
import { setAsideByKind } from '../set-aside/set-aside-object.table.ts';
import { compareMargin } from './compare-in-slices.step.ts';
import { uncountedAmounts } from './uncounted-amounts.query.ts';
import { marginWarnings } from './margin-warnings.ts';
import { pageOfEndUsers, pageOfUnmatched } from './margin-page.step.ts';
import { toEndUserRow, toEndUserView, type MarginView, toMarginView } from './margin-view.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decision 9, D45) or too many customers. */
export async function compareCostAndRevenue(
  context: SubgraphContext,
  window: Window,
  { costs, throughEnd }: { readonly costs: EndUserCostLines; readonly throughEnd: boolean },
): Promise<MarginView> {
  refuseMonthsOver(window, MARGIN_MONTHS_MAX);
  const compared = throughEnd ? window : windowSoFar(window, requestedAt(context));
  const organizationId = organizationOf(context);
  const { rows, missing } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await revenueByCustomer(tx, organizationId, compared, MARGIN_CUSTOMERS_MAX + 1),
    missing: {
      // Sample data has revenue without a connected account.
      isConnected: context.principal.sampleOf !== undefined || (await isConnected(tx, organizationId)),
      otherCurrencies: await recordsInOtherCurrencies(tx, organizationId, compared),
      setAside: await setAsideByKind(tx, organizationId),
      uncounted: await uncountedAmounts(tx, organizationId, compared),
      comparedUntil: compared === window ? null : compared.end,
    },
  }));
  if (rows.length > MARGIN_CUSTOMERS_MAX)
    fail('UNPROCESSABLE_ENTITY', `A margin takes at most ${MARGIN_CUSTOMERS_MAX} customers`);
  const customers = await mapInSlices(rows, (customer) => ({
    customerId: customer.customerId,
    name: customer.name,
    externalId: customer.externalId,
    revenue: amount(customer.revenue),
    records: customer.records,
    starting: customer.starting,
  }));
  const margin = await compareMargin(costs, customers);
  return toMarginView(margin, marginWarnings(margin, missing), {
    endUsers: (selection) => pageOfEndUsers(margin.endUsers, selection, toEndUserView),
    unmatchedCustomers: (page) => pageOfUnmatched(margin.unmatched, page),
    endUserList: () => mapInSlices(margin.endUsers, toEndUserRow),
  });
}
