/** The month of a statement, and its figures. */
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#schema/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { windowChoice, type WindowChoice } from '../../figures/window-choice.ts';

const CUSTOMERS_MAX = 5_000;
const MODELS_MAX = 1_000;

const STATEMENT = graphql(`query MonthStatement($start: Instant!, $end: Instant!, $customers: Int!, $models: Int!) {
  costs: costClosing { closedUntil }
  revenue: revenueClosing { closedUntil }
  window(start: $start, end: $end) {
    margin {
      total { totalRevenue totalCost marginAmount marginPercent unattributedCost unattributedRevenue }
      endUsers(first: $customers) {
        nodes { endUserId endUserName endUser { externalId } revenue cost marginAmount marginPercent profitability }
        totalCount totalRevenue totalCost marginAmount
      }
      unmatchedCustomers(first: 1) { totalCount totalRevenue }
    }
    costs(groupBy: [PROVIDER, MODEL], first: $models) { nodes { values { value } totalCost eventCount } totalCost eventCount }
    events(first: 1) { totalCount }
    ledgerCosts { corrections { month totalCost entryCount } }
  }
}`);

export type Statement = DataOf<'MonthStatement'>;

export interface Month {
  readonly first: Date;
  readonly end: Date;
  /** `2026-10`. */
  readonly name: string;
  /** Its days. */
  readonly window: WindowChoice;
}

/** Fails with `VALIDATION_ERROR` for a month that has not ended. */
export function monthOf(query: URLSearchParams): Month {
  const [, year, month] =
    /^(\d{4})-(0[1-9]|1[0-2])$/.exec(query.get('month') ?? '') ??
    fail('VALIDATION_ERROR', 'Choose a month, for example 2026-10.');
  const first = monthStart(Number(year), Number(month) - 1);
  const end = addMonths(first, 1);
  if (end > now()) fail('VALIDATION_ERROR', 'This month has not ended yet.');
  const lastDay = new Date(end.getTime() - 1).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const days = new URLSearchParams({ from: `${year}-${month}-01`, to: lastDay });
  return { first, end, name: `${year}-${month}`, window: windowChoice(days, now()) };
}

export async function getStatement(
  gateway: GatewayClient,
  principal: Principal,
  { window: { start, end } }: Month,
): Promise<Statement> {
  const variables = { start, end, customers: CUSTOMERS_MAX, models: MODELS_MAX };
  const found = await askGateway(gateway, STATEMENT, variables, principal);
  const { endUsers } = found.window.margin;
  if (endUsers.totalCount > endUsers.nodes.length)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A statement lists at most ${formatCount(CUSTOMERS_MAX)} customers. Use the CSV of the customers page.`,
    );
  return found;
}
