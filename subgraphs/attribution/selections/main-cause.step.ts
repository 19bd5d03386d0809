/**
 * Finds the main cause of an increase: the customer responsible for at least a third of it, and the agent behind that
 * customer's part. Without such a customer, the agent or model behind half of the increase. Then finds the day, and the
 * hours of that day, in which most of the increase was spent.
 */
import type { EndUserId } from '#kernel/ids.ts';
import { amount, type Amount } from '#kernel/money.ts';
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { compareInstants, parseIso8601 } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { KnownError } from '#kernel/errors.ts';
import { EXPLAINED_FACTS_MAX } from '../config.ts';
import { MODEL_KEY, UNASSIGNED } from '../measures/rollup-keys.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { compareGroups, type GroupCost, type GroupDifference } from './cost-change.ts';
import { AGENT_KEY, type CostSelection, END_USER_KEY, isValue, onlyValue } from './cost-selection.ts';
import type { Compared } from './explained-change.query.ts';
import { readSelectedCosts } from './selected-costs.query.ts';
import { readSelectedTrend } from './selected-trend.query.ts';

export interface MainCause {
  /** The service's UUID. */
  readonly endUserId: EndUserId | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly start: string;
  readonly end: string;
  readonly cost: Amount;
}

/** Only the largest groups are read, since a main cause is among them. */
const GROUPS_READ = 200;
const TREND = { seriesMax: 1 };

/** Null if costs did not rise, if there is no main cause, or if finding it would read too many events. */
export async function findMainCause(
  tx: Transaction,
  compared: Compared,
  difference: Amount,
): Promise<MainCause | null> {
  if (difference <= 0n) return null;
  try {
    return await find(tx, compared, difference);
  } catch (error) {
    if (error instanceof KnownError && error.code === 'UNPROCESSABLE_ENTITY') return null;
    throw error;
  }
}

async function find(tx: Transaction, compared: Compared, difference: Amount): Promise<MainCause | null> {
  const { selection } = compared;
  const isFiltered = (name: string) => onlyValue(selection, name) !== null;
  const customer =
    selection.endUser === null ? await largestRise(tx, compared, { key: END_USER_KEY, isEndUser: true }) : null;
  const isCustomer =
    customer?.value != null && customer.value !== NO_END_USER && 3n * customer.difference >= difference;
  const ofCustomer: CostSelection = isCustomer ? { ...selection, endUser: { id: customer.value } } : selection;
  const rise = isCustomer ? customer.difference : difference;
  const agent = isFiltered(AGENT_KEY)
    ? null
    : await largestRise(tx, { ...compared, selection: ofCustomer }, { key: AGENT_KEY, isEndUser: false });
  const isAgent = agent?.value != null && agent.value !== UNASSIGNED && 2n * agent.difference >= rise;
  const model =
    isAgent || isCustomer || isFiltered(MODEL_KEY)
      ? null
      : await largestRise(tx, compared, { key: MODEL_KEY, isEndUser: false });
  const isModel = model?.value != null && 2n * model.difference >= rise;
  if (!isCustomer && !isAgent && !isModel) return null;
  const conditions = [
    ...selection.conditions,
    ...(isAgent ? [isValue(AGENT_KEY, agent.value)] : []),
    ...(isModel ? [isValue(MODEL_KEY, model.value)] : []),
  ];
  const cause: CostSelection = { ...ofCustomer, conditions, groups: [] };
  const risen = isAgent ? agent.difference : isModel ? model.difference : customer!.difference;
  return {
    endUserId: isCustomer ? customer.value : null,
    agent: isAgent ? agent.value : null,
    model: isModel ? model.value : null,
    ...(await whenSpent(tx, { ...compared, selection: cause }, risen)),
  };
}

async function largestRise(
  tx: Transaction,
  compared: Compared,
  group: CostSelection['groups'][number],
): Promise<GroupDifference | null> {
  const read = async (window: Window): Promise<GroupCost[]> => {
    const { organizationId, selection } = compared;
    const input = {
      organizationId,
      window,
      selection: { ...selection, groups: [group] },
      isHourly: false,
      factsMax: EXPLAINED_FACTS_MAX,
    };
    const rows = await readSelectedCosts(tx, input, { limit: GROUPS_READ, offset: 0 });
    return rows.flatMap(({ one, totalCost, eventCount }) =>
      totalCost === null ? [] : [{ value: one, cost: amount(totalCost), eventCount: Number(eventCount) }],
    );
  };
  const differences = compareGroups(await read(compared.previous), await read(compared.window));
  return differences.find((one) => one.difference > 0n) ?? null;
}

/**
 * When the rise was spent: the fewest consecutive hours with nine tenths of the cost of the most expensive day, or the
 * whole day if they are too many. If that day costs less than half of the rise, the window.
 */
async function whenSpent(
  tx: Transaction,
  { organizationId, window, selection }: Compared,
  rise: Amount,
): Promise<Pick<MainCause, 'start' | 'end' | 'cost'>> {
  const input = { organizationId, selection, isHourly: false, factsMax: EXPLAINED_FACTS_MAX };
  const days = await readSelectedTrend(tx, { ...input, window }, { unit: 'day', ...TREND });
  const whole = days.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
  const largest = days.toSorted((one, other) => (amount(one.totalCost) > amount(other.totalCost) ? -1 : 1))[0];
  if (largest === undefined || 2n * amount(largest.totalCost) < rise)
    return { start: window.start.iso, end: window.end.iso, cost: whole };
  const day = within(Date.parse(largest.first), Date.parse(largest.first) + DAY_MS, window);
  const hours = await readSelectedTrend(tx, { ...input, window: day, isHourly: true }, { unit: 'hour', ...TREND });
  const run = shortestRun(hours.map(({ first, totalCost }) => ({ at: Date.parse(first), cost: amount(totalCost) })));
  if (run === null) return { start: day.start.iso, end: day.end.iso, cost: amount(largest.totalCost) };
  const span = within(run.start, run.end, window);
  return { start: span.start.iso, end: span.end.iso, cost: run.cost };
}

const RUN_MAX_MS = 12 * HOUR_MS;

interface Hour {
  readonly at: number;
  readonly cost: Amount;
}

/** Null if more than half of the day is needed. */
export function shortestRun(hours: readonly Hour[]): { start: number; end: number; cost: Amount } | null {
  const total = hours.reduce((sum, { cost }) => sum + cost, 0n);
  const ordered = hours.toSorted((one, other) => one.at - other.at);
  const runs = ordered.flatMap(({ at: start }, first) => {
    let cost = 0n;
    for (const hour of ordered.slice(first)) {
      cost += hour.cost;
      if (10n * cost >= 9n * total) return [{ start, end: hour.at + HOUR_MS, cost }];
    }
    return [];
  });
  const [shortest] = runs.toSorted((one, other) => one.end - one.start - (other.end - other.start));
  return shortest === undefined || shortest.end - shortest.start > RUN_MAX_MS ? null : shortest;
}

function within(from: number, until: number, window: Window): Window {
  const [start, end] = [instantOf(from), instantOf(until)];
  return {
    start: compareInstants(start, window.start) < 0 ? window.start : start,
    end: compareInstants(end, window.end) > 0 ? window.end : end,
  };
}

function instantOf(ms: number) {
  return parseIso8601(new Date(ms).toISOString())!;
}
