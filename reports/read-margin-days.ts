/** Reads revenue and cost by end user, day by day, including revenue and costs without an end user. */
import { plain, money } from '#kernel/money.ts';
import { graphql } from '#schema/graphql.ts';
import { readPages } from './read-pages.ts';
import type { ReportSource } from './report-table.ts';

const END_USERS = graphql(`query ReportedMargins($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    margin {
      endUsers(orderBy: { by: NAME }, first: $first, after: $after) {
        nodes { endUser { externalId } endUserName revenue cost marginAmount }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`);
const UNMATCHED = graphql(`query ReportedRest($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) {
    margin {
      total { unattributedCost }
      unmatchedCustomers(first: $first, after: $after) {
        nodes { customerId name revenue }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`);

const PAGE = 5_000;

export interface MarginDay {
  readonly day: string;
  readonly endUser: string | null;
  /** The payment processor's id of the customer, for revenue without an end user. */
  readonly customer: string | null;
  readonly name: string | null;
  readonly revenue: string;
  readonly cost: string;
  readonly margin: string;
}

/** End users by name, then revenue without an end user by customer, then costs without an end user. */
export async function* readMarginDays({ ask, period }: ReportSource): AsyncGenerator<readonly MarginDay[]> {
  for (const { date: day, start, end } of period.days) {
    const endUsers = readPages(
      async (after) => (await ask(END_USERS, { start, end, first: PAGE, after })).window.margin.endUsers,
    );
    for await (const nodes of endUsers)
      yield nodes.map(({ endUser, endUserName, revenue, cost, marginAmount }) => ({
        day,
        endUser: endUser.externalId,
        customer: null,
        name: endUserName,
        revenue,
        cost,
        margin: marginAmount,
      }));
    let rest = { revenue: '0', cost: '0' };
    const unmatched = readPages(async (after) => {
      const { margin } = (await ask(UNMATCHED, { start, end, first: PAGE, after })).window;
      rest = { ...rest, cost: margin.total.unattributedCost };
      return margin.unmatchedCustomers;
    });
    for await (const nodes of unmatched) {
      // Revenue without a customer and costs without an end user share one row.
      rest = { ...rest, revenue: nodes.find(({ customerId }) => customerId === null)?.revenue ?? rest.revenue };
      yield nodes
        .filter(({ customerId }) => customerId !== null)
        .map(({ customerId, name, revenue }) => ({
          day,
          endUser: null,
          customer: customerId,
          name,
          revenue,
          cost: '0',
          margin: revenue,
        }));
    }
    if (rest.revenue !== '0' || rest.cost !== '0')
      yield [
        {
          day,
          endUser: null,
          customer: null,
          name: null,
          ...rest,
          margin: plain(money(rest.revenue).minus(money(rest.cost))),
        },
      ];
  }
}
