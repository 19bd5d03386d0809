/** `Query.costForecast`: the expected cost of the current month. */
import { forecastHours, FORECAST_HOURS_MIN } from '#kernel/forecast-hours.ts';
import { type Amount, amount, approximate } from '#kernel/money.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { instantOf } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { FORECAST_DAYS } from '../config.ts';
import type { CostFilter, CostForecast } from '../resolvers.generated.ts';
import { checkSelection } from './check-selection.query.ts';
import { type CostSelection, isOfSomeEndUsers, parseSelection } from './cost-selection.ts';
import { readSelectedTrend, type SelectedTrendCell } from './selected-trend.query.ts';

/** Events of the last hour may still be arriving. */
const SETTLED_AFTER_MS = HOUR_MS;

/**
 * The range is derived from past forecasts. If the history is too short, no forecast is returned and `reason` says so.
 * Fails as `listCosts` does for unknown names in the filter.
 */
export async function forecastCosts(
  context: SubgraphContext,
  filter: CostFilter | null | undefined,
): Promise<CostForecast> {
  const organizationId = organizationOf(context);
  const at = requestedAt(context);
  const start = monthStart(at.getUTCFullYear(), at.getUTCMonth());
  const end = addMonths(start, 1);
  const settled = new Date(Math.floor((at.getTime() - SETTLED_AFTER_MS) / HOUR_MS) * HOUR_MS);
  const from = new Date(settled.getTime() - FORECAST_DAYS * DAY_MS);
  const selection = parseSelection({ filter });
  const { booked, cells } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    const read = (window: Window, isHourly: boolean) =>
      readSelectedTrend(
        tx,
        { organizationId, window, selection, isHourly },
        { unit: isHourly ? 'hour' : 'month', seriesMax: 1 },
      );
    return {
      booked: at > start ? sumOf(await read({ start: instantOf(start), end: instantOf(at) }, false)) : 0n,
      cells: await read({ start: instantOf(from), end: instantOf(settled) }, true),
    };
  });
  const hours = hourlyCosts(cells, settled);
  const aheadFrom = Math.max(settled.getTime(), start.getTime());
  const forecast = forecastHours(hours, Math.round((end.getTime() - aheadFrom) / HOUR_MS));
  const known = cells.reduce(
    (sum, { first, totalCost }) => (Date.parse(first) >= start.getTime() ? sum + amount(totalCost) : sum),
    0n,
  );
  const atLeast = (estimate: number): Amount => {
    const total = known + toAmount(estimate);
    return total > booked ? total : booked;
  };
  return {
    start: instantOf(start).iso,
    end: instantOf(end).iso,
    booked,
    range: forecast && {
      low: atLeast(forecast.low),
      expected: atLeast(forecast.expected),
      high: atLeast(forecast.high),
    },
    reason: forecast === null ? tooShort(hours.length, selection) : null,
    historyHours: hours.length,
    pastForecasts: forecast?.pastForecasts ?? 0,
  };
}

function tooShort(hours: number, selection: CostSelection): string {
  const whose = isOfSomeEndUsers(selection) || selection.conditions.length > 0 ? ' that match the filter' : '';
  return `A forecast needs ${FORECAST_HOURS_MIN / 24} days of past costs${whose}: there are ${Math.floor(hours / 24)}`;
}

/** Costs of every hour from the first cost on, without gaps. */
function hourlyCosts(cells: readonly SelectedTrendCell[], until: Date): number[] {
  const byHour = new Map(cells.map(({ first, totalCost }) => [Date.parse(first), approximate(totalCost)]));
  const firstMs = Math.min(until.getTime(), ...byHour.keys());
  return Array.from(
    { length: (until.getTime() - firstMs) / HOUR_MS },
    (_, hour) => byHour.get(firstMs + hour * HOUR_MS) ?? 0,
  );
}

function sumOf(cells: readonly SelectedTrendCell[]): Amount {
  return cells.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
}

/** Estimates are rounded to a millionth of a dollar. */
function toAmount(estimate: number): Amount {
  return amount(estimate.toFixed(6));
}
