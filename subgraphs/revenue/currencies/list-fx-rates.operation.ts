/** Lists exchange rates, latest day first. */
import { checkFirst, connectionOfEdges, keysetCursor, type PageInput, parseKeyset } from '#kernel/page-cursor.ts';
import { parseDayRange } from '#kernel/time/day-range.ts';
import { isDay } from '#kernel/time/utc-day.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import type { FxRateConnection } from '../resolvers.generated.ts';
import { BASE_CURRENCY, parseCurrency } from './currency.ts';
import { listFxRates as listRates } from './fx-rate.table.ts';

const PAGE_MAX = 1_000;

interface RateSelection extends PageInput {
  readonly currency?: string | null | undefined;
  readonly from?: string | null | undefined;
  readonly until?: string | null | undefined;
}

/** Fails with `VALIDATION_ERROR`. */
export async function listFxRates(
  { database, principal }: Pick<SubgraphContext, 'database' | 'principal'>,
  { currency, from, until, first, after }: RateSelection,
): Promise<FxRateConnection> {
  checkFirst(first, PAGE_MAX);
  const [afterDay = null, afterQuote = ''] = after === undefined || after === null ? [] : parseKeyset(after);
  const list = {
    quote: currency === undefined || currency === null ? null : parseCurrency('currency', currency),
    ...parseDayRange({ from, until }),
    afterDay,
    afterQuote,
    limit: first + 1,
  };
  if (after !== undefined && after !== null && !isDay(afterDay ?? ''))
    fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  // Rates belong to no organization, and an operator may ask without one.
  const { organizationId } = principal;
  const found =
    organizationId === null
      ? await database.system((tx) => listRates(tx, list))
      : await database.find(organizationId, (tx) => listRates(tx, list));
  const edges = found.slice(0, first).map((node) => ({
    cursor: keysetCursor([node.day, node.quote]),
    node: { ...node, base: BASE_CURRENCY },
  }));
  return connectionOfEdges(edges, { hasNextPage: found.length > first, hasPreviousPage: afterDay !== null });
}
