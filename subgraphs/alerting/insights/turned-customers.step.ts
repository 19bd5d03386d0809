/** Customers with revenue who were profitable in the preceding window and no longer are. */
import { usdText } from '#kernel/usd-text.ts';
import { amount } from '#kernel/money.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { estimate, exact } from '../detection/verdict.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import { customerPath } from '../figures/page-path.ts';
import { type Insight, type InsightWindow, nameDays, queryOf } from './insight.ts';

const UNPROFITABLE = graphql(`query InsightUnprofitable($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    margin { endUsers(filter: { only: PAYING }, first: 5) { nodes { endUserId endUserName cost revenue marginAmount marginPercent } } }
  }
}`);
const CUSTOMER =
  graphql(`query InsightCustomer($id: ID!, $start: Instant!, $end: Instant!, $previousStart: Instant!, $previousEnd: Instant!) {
  window(start: $start, end: $end) {
    margin { endUsers(filter: { endUserId: $id }, first: 1) { nodes { cost revenue marginAmount marginPercent } } }
  }
  before: window(start: $previousStart, end: $previousEnd) {
    margin { endUsers(filter: { endUserId: $id }, first: 1) { nodes { cost revenue marginAmount } } }
  }
}`);

/** The earlier half of `CUSTOMER`, for all customers at once: a margin reads the revenue and costs of every customer. */
const EARLIER =
  graphql(`query InsightCustomersBefore($one: ID!, $two: ID!, $three: ID!, $four: ID!, $five: ID!, $previousStart: Instant!, $previousEnd: Instant!) {
  before: window(start: $previousStart, end: $previousEnd) {
    margin {
      one: endUsers(filter: { endUserId: $one }, first: 1) { nodes { endUserId revenue marginAmount } }
      two: endUsers(filter: { endUserId: $two }, first: 1) { nodes { endUserId revenue marginAmount } }
      three: endUsers(filter: { endUserId: $three }, first: 1) { nodes { endUserId revenue marginAmount } }
      four: endUsers(filter: { endUserId: $four }, first: 1) { nodes { endUserId revenue marginAmount } }
      five: endUsers(filter: { endUserId: $five }, first: 1) { nodes { endUserId revenue marginAmount } }
    }
  }
}`);

export async function findTurnedCustomers(read: ReadGraph, window: InsightWindow): Promise<Insight[]> {
  const { start, end, previousStart, previousEnd } = window;
  const { nodes } = (await read(UNPROFITABLE, { start, end })).window.margin.endUsers;
  const burning = nodes.filter(({ marginAmount }) => amount(marginAmount) < 0n);
  const earlier = await readEarlier(
    read,
    burning.map(({ endUserId }) => endUserId),
    { previousStart, previousEnd },
  );
  return burning.flatMap(({ endUserId, endUserName, cost, revenue, marginAmount, marginPercent }) => {
    const variables = { id: endUserId, start, end, previousStart, previousEnd };
    const before = earlier.get(endUserId);
    if (before === undefined || amount(before.revenue) <= 0n || amount(before.marginAmount) < 0n) return [];
    const days = nameDays(window);
    const loss = marginAmount.replace('-', '');
    return [
      {
        kind: 'CUSTOMER_TURNED_UNPROFITABLE' as const,
        sentence: `${days.now}, ${endUserName} cost ${usdText(cost)} and paid ${usdText(revenue)}: a loss of ${usdText(loss)}. In ${days.before}, the margin was ${usdText(before.marginAmount)}.`,
        atStake: loss,
        figures: [
          exact('cost', cost, 'usd'),
          exact('revenue', revenue, 'usd'),
          exact('margin', marginAmount, 'usd'),
          estimate('margin_percent', marginPercent, 'percent'),
          exact('previous_margin', before.marginAmount, 'usd'),
        ],
        query: queryOf(CUSTOMER, variables),
        path: customerPath(endUserId, window),
      },
    ];
  });
}

type EarlierMargin = DataOf<'InsightCustomersBefore'>['before']['margin']['one']['nodes'][number];

/** Margins of at most five customers, by their id. */
async function readEarlier(
  read: ReadGraph,
  [one, ...others]: readonly string[],
  previous: Pick<InsightWindow, 'previousStart' | 'previousEnd'>,
): Promise<ReadonlyMap<string, EarlierMargin>> {
  if (one === undefined) return new Map();
  const [two = one, three = one, four = one, five = one] = others;
  const { before } = await read(EARLIER, { one, two, three, four, five, ...previous });
  return new Map(Object.values(before.margin).flatMap(({ nodes }) => nodes.map((node) => [node.endUserId, node])));
}
