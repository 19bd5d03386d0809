/**
 * Graph reader for previews. Trends are read once for the whole past and cut to the window of each evaluation, so that
 * sixty days of evaluations need few reads. Each day of outcomes is read once. Everything else is read directly.
 */
import { amount, money, plain, quantity, toLedger } from '#kernel/money.ts';
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import type { DataOf, GraphqlDocument, VariablesOf } from '#schema/graphql.ts';
import { DAILY_COSTS, HOURLY_COSTS, WINDOW_COSTS } from '../figures/cost-figures.step.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import { OUTCOME_COSTS, type OutcomeCosts, readOutcomeCosts } from '../figures/outcome-figures.step.ts';

/** A trend has at most 1,000 points. */
const POINTS_MAX = 1_000;
/**
 * Maximum hours of a window that is cut from a trend. Longer windows are read directly, because there are few of them.
 */
const HOURS_MAX = 24;

type Line = DataOf<'AlertHourlyCosts'>['window']['costTrend']['series'][number];
type Trend = VariablesOf<'AlertHourlyCosts'>;

/** `past`: range of everything that will be read. */
export function pastReader(
  read: ReadGraph,
  past: { readonly start: Date; readonly end: Date },
  series: number,
): ReadGraph {
  const trends = new Map<string, Promise<Line[]>>();
  const linesOf = async (document: typeof DAILY_COSTS | typeof HOURLY_COSTS, variables: Trend): Promise<Line[]> => {
    const { start, end, ...selection } = variables;
    const key = JSON.stringify([document, selection]);
    const whole = trends.get(key) ?? readWhole(read, document, past, selection);
    trends.set(key, whole);
    return (await whole).map((line) => ({
      ...line,
      points: line.points.filter((at) => at.start >= start && at.start < end),
    }));
  };
  const outcomeDays = new Map<string, OutcomeCosts>();
  const outcomeCostsOf = async ({ start, end, filter }: VariablesOf<'AlertOutcomeCosts'>): Promise<OutcomeCosts> => {
    const costs: OutcomeCosts[] = [];
    for (let at = Date.parse(start); at < Date.parse(end); at += DAY_MS) {
      const day = { start: new Date(at).toISOString(), end: new Date(at + DAY_MS).toISOString(), filter };
      const key = JSON.stringify(day);
      const costsOfDay = outcomeDays.get(key) ?? (await readOutcomeCosts(read, day));
      outcomeDays.set(key, costsOfDay);
      costs.push(costsOfDay);
    }
    return sumOfOutcomes(costs);
  };
  return (async (document: GraphqlDocument<unknown, object>, variables: object) => {
    if (document === OUTCOME_COSTS)
      return { window: { outcomes: { total: await outcomeCostsOf(variables as VariablesOf<'AlertOutcomeCosts'>) } } };
    if (document === DAILY_COSTS)
      return { window: { costTrend: { series: await linesOf(DAILY_COSTS, variables as Trend) } } };
    if (document === HOURLY_COSTS)
      return { window: { costTrend: { series: await linesOf(HOURLY_COSTS, variables as Trend) } } };
    if (document === WINDOW_COSTS) {
      const window = variables as VariablesOf<'AlertWindowCosts'>;
      const trend = trendOf(window, series);
      if (trend !== null) return { window: { costs: sumOf(await linesOf(HOURLY_COSTS, trend)) } };
    }
    return read(document, variables);
  }) as ReadGraph;
}

async function readWhole(
  read: ReadGraph,
  document: typeof DAILY_COSTS | typeof HOURLY_COSTS,
  { start, end }: { readonly start: Date; readonly end: Date },
  selection: Omit<Trend, 'start' | 'end'>,
): Promise<Line[]> {
  const length = POINTS_MAX * (document === DAILY_COSTS ? DAY_MS : HOUR_MS);
  const lines = new Map<string, Line>();
  for (let from = start.getTime(); from < end.getTime(); from += length) {
    const until = Math.min(end.getTime(), from + length);
    const window = { start: new Date(from).toISOString(), end: new Date(until).toISOString() };
    const part = (await read(document, { ...selection, ...window })).window.costTrend.series;
    for (const { isRest, value, points } of part) {
      const key = JSON.stringify([isRest, value?.value ?? null]);
      lines.set(key, { isRest, value, points: [...(lines.get(key)?.points ?? []), ...points] });
    }
  }
  return [...lines.values()];
}

/**
 * Trend for the hours of a window of up to a day, if only costs and events are needed; otherwise null, as for a window
 * that does not consist of whole hours.
 */
function trendOf(window: VariablesOf<'AlertWindowCosts'>, series: number): Trend | null {
  const { start, end, filter, groupBy, dimensions, tokens } = window;
  const [from, until] = [Date.parse(start), Date.parse(end)];
  if (tokens || from % HOUR_MS !== 0 || until % HOUR_MS !== 0 || until - from > HOURS_MAX * HOUR_MS) return null;
  const by = [groupBy].flat()[0] ?? null;
  return { start, end, filter: filter ?? null, by, dimension: [dimensions].flat()[0] ?? null, series };
}

function sumOf(lines: readonly Line[]) {
  const nodes = lines.map(({ value, points }) => ({
    values: value === null ? [] : [value],
    totalCost: plain(points.reduce((sum, { cost }) => sum + amount(cost), 0n)),
    eventCount: points.reduce((sum, { eventCount }) => sum + eventCount, 0),
  }));
  return {
    totalCost: plain(nodes.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n)),
    eventCount: nodes.reduce((sum, { eventCount }) => sum + eventCount, 0),
    nodes: nodes.filter(({ values, eventCount }) => values.length > 0 && eventCount > 0),
  };
}

/** Sums the figures of adjacent windows. */
function sumOfOutcomes(days: readonly OutcomeCosts[]): OutcomeCosts {
  const total = (figure: (day: OutcomeCosts) => string) =>
    plain(days.reduce((sum, day) => sum + amount(figure(day)), 0n));
  const cost = total((day) => day.cost);
  const succeeded = days.reduce((sum, day) => sum + day.succeeded, 0);
  return {
    count: days.reduce((sum, day) => sum + day.count, 0),
    succeeded,
    cost,
    failedCost: total((day) => day.failedCost),
    costPerSuccess: succeeded === 0 ? null : plain(toLedger(money(cost).div(quantity(succeeded)))),
  };
}
