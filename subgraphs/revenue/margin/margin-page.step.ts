/** Pages of a margin: its end users, filtered and ordered, and the unmatched customers. */
import type { Amount } from '#kernel/money.ts';
import { type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import type {
  EndUserMargin as EndUserMarginAnswer,
  EndUserMarginConnection,
  MarginFilter,
  MarginOrder,
  UnmatchedCustomerConnection,
} from '../resolvers.generated.ts';
import type { EndUserMargin, RevenueOfCustomer } from './compare-margin.ts';

const PAGE_MAX = 5_000;

/** Defaults are filled in by the schema. */
export type MarginSelectionInput = PageInput & {
  readonly filter?: MarginFilter | null | undefined;
  readonly orderBy: Required<MarginOrder>;
};

/**
 * Filters and sorts in slices, since there may be hundreds of thousands of end users. Fails with `VALIDATION_ERROR` for
 * an invalid page.
 */
export async function pageOfEndUsers(
  endUsers: readonly EndUserMargin[],
  { filter, orderBy, ...input }: MarginSelectionInput,
  toView: (endUser: EndUserMargin) => EndUserMarginAnswer,
): Promise<EndUserMarginConnection> {
  const page = parsePage(input, PAGE_MAX);
  const isLeft = filterOf(filter ?? {});
  const left = (await mapInSlices(endUsers, (one) => (isLeft(one) ? one : null))).filter((one) => one !== null);
  const ordered = await sortInSlices(left, orderOf(orderBy));
  const totalRevenue = sumOf(left, ({ revenue }) => revenue);
  const totalCost = sumOf(left, ({ cost }) => cost);
  return {
    ...toConnection(pageOf(ordered, page).map(toView), ordered.length, page),
    totalRevenue,
    totalCost,
    marginAmount: totalRevenue - totalCost,
  };
}

/** Customers with revenue, largest first. Fails with `VALIDATION_ERROR` for an invalid page. */
export function pageOfUnmatched(
  customers: readonly RevenueOfCustomer[],
  input: PageInput,
): UnmatchedCustomerConnection {
  const page = parsePage(input, PAGE_MAX);
  const earning = customers
    .filter(({ revenue }) => revenue !== 0n)
    .toSorted(
      (one, other) => compare(other.revenue, one.revenue) || compare(one.customerId ?? '', other.customerId ?? ''),
    );
  return {
    ...toConnection(
      pageOf(earning, page).map(({ customerId, name, externalId, revenue }) => ({
        customerId,
        name,
        externalId,
        revenue,
      })),
      earning.length,
      page,
    ),
    totalRevenue: sumOf(earning, ({ revenue }) => revenue),
  };
}

function filterOf({ search, endUserId, only }: MarginFilter): (endUser: EndUserMargin) => boolean {
  const text = search?.toLowerCase() ?? '';
  const id = endUserId?.toLowerCase() ?? null;
  return (endUser) =>
    (id === null || endUser.id === id) &&
    (only !== 'PAYING' || endUser.revenue !== 0n) &&
    (only !== 'NOT_PAYING' || endUser.revenue === 0n) &&
    (only !== 'UNPROFITABLE' || endUser.margin.category === 'unprofitable') &&
    (only !== 'UNMATCHED' || !endUser.isMatched) &&
    (text === '' || endUser.name.toLowerCase().includes(text) || endUser.externalId.toLowerCase().includes(text));
}

/** End users without the figure come last in either direction; ties are ordered by external id. */
function orderOf({ by, descending }: Required<MarginOrder>): (one: EndUserMargin, other: EndUserMargin) => number {
  const figure = {
    MARGIN: ({ margin }: EndUserMargin) => margin.amount,
    PERCENT: ({ margin }: EndUserMargin) => margin.percent,
    COST: ({ cost }: EndUserMargin) => cost,
    REVENUE: ({ revenue }: EndUserMargin) => revenue,
    NAME: ({ name }: EndUserMargin) => name,
  }[by];
  return (one, other) => {
    const [first, second] = [figure(one), figure(other)];
    if ((first === null) !== (second === null)) return first === null ? 1 : -1;
    const order = first === null || second === null ? 0 : compare(first, second);
    return (descending ? -order : order) || compare(one.externalId, other.externalId);
  };
}

function sumOf<Item>(items: readonly Item[], figure: (item: Item) => Amount): Amount {
  return items.reduce((sum, item) => sum + figure(item), 0n);
}

function compare<Value extends string | number | bigint>(one: Value, other: Value): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
