/** Margins of all customers in the reporting currency, for a CSV file. */
import type { CsvRow } from '#kernel/csv-line.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';

const HEAD = graphql(`query ReportingSheetHead($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { reportingMargin { currency latestRate { day from to rate } isComplete } }
}`);
const PAGE = graphql(`query ReportingSheetPage($start: Instant!, $end: Instant!, $after: String) {
  window(start: $start, end: $end) { reportingMargin { endUsers(first: 5000, after: $after) {
    nodes { endUserName revenue { amount } cost { amount } margin { amount } marginPercent fees { amount } marginAfterFees { amount } exchangeDifferences { amount } }
    pageInfo { hasNextPage endCursor }
  } } }
}`);

type DataOfPage = DataOf<'ReportingSheetPage'>;

/** Every row names the currency, the latest rate of costs and its day, and whether an amount waits for a rate. */
export async function reportingSheet(
  gateway: GatewayClient,
  principal: Principal,
  window: { readonly start: string; readonly end: string },
): Promise<{ readonly currency: string; readonly header: string[]; readonly rows: AsyncGenerator<CsvRow[]> }> {
  const { currency, latestRate, isComplete } = (await askGateway(gateway, HEAD, window, principal)).window
    .reportingMargin;
  const about = [currency, latestRate?.rate ?? null, latestRate?.day ?? null, isComplete ? 'yes' : 'no'];
  const columns = ['revenue', 'cost', 'margin', 'margin_percent', 'fees', 'margin_after_fees', 'exchange_differences'];
  async function* rows(): AsyncGenerator<CsvRow[]> {
    let after: string | null = null;
    for (let hasNext = true; hasNext;) {
      const data: DataOfPage = await askGateway(gateway, PAGE, { ...window, after }, principal);
      const { nodes, pageInfo } = data.window.reportingMargin.endUsers;
      yield nodes.map((row) => [
        row.endUserName,
        row.revenue.amount,
        row.cost.amount,
        row.margin.amount,
        row.marginPercent,
        row.fees.amount,
        row.marginAfterFees.amount,
        row.exchangeDifferences.amount,
        ...about,
      ]);
      after = pageInfo.endCursor;
      hasNext = pageInfo.hasNextPage;
    }
  }
  return {
    currency,
    header: ['customer', ...columns, 'currency', 'usd_rate', 'usd_rate_day', 'is_complete'],
    rows: rows(),
  };
}
