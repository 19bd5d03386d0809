/**
 * `BUDGET`: the levels of an amount that a period's cost has reached, each reported once per period, and whether the
 * forecast exceeds the amount.
 */
import { forecastHours } from '#kernel/forecast-hours.ts';
import { amount, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { type DetectedState, estimate, exact, type Verdict } from './verdict.ts';

export interface BudgetInput {
  /** Identifies the period: `2026-11`, `2026-11-24`. */
  readonly period: string;
  /** USD as exact text: cost booked in the period so far, and the budget. */
  readonly spent: string;
  readonly amount: string;
  /** Whole percent, ascending, for example 50, 80, 100. */
  readonly levels: readonly number[];
  /** Forecast cost of the whole period in USD. Null: not available or not wanted. */
  readonly forecast: string | null;
}

export interface BudgetMemory {
  readonly state: DetectedState;
  readonly period: string | null;
  /** Levels already reported in the period. */
  readonly reached: readonly number[];
  readonly isForecastReported: boolean;
}

export interface BudgetVerdict extends Verdict<BudgetMemory> {
  /** Levels to report now, ascending: reached since the last verdict. */
  readonly newLevels: readonly number[];
  /** The forecast exceeds the amount for the first time in the period, and the cost does not yet. */
  readonly isNewForecast: boolean;
}

const HUNDRED = 100n;

/**
 * `FIRING` from the first reported level (or forecast) until the period ends. A level stays reported after a
 * correction, so it alerts once per period. The first verdict of a new period only ends the previous one's episode, so
 * that every period has its own. Comparisons use exact money, except for the forecast, which is an estimate.
 */
export function judgeBudget(input: BudgetInput, previous: BudgetMemory | null): BudgetVerdict {
  const { period, forecast } = input;
  const spent = amount(input.spent);
  const whole = amount(input.amount);
  const figures = [
    exact('spent', plain(spent), 'usd'),
    exact('budget', plain(whole), 'usd'),
    estimate('spent_percent', percent(spent, whole), 'percent'),
    ...(forecast === null ? [] : [exact('forecast', forecast, 'usd')]),
  ];
  const before =
    previous?.period === period ? previous : ({ state: 'OK', period, reached: [], isForecastReported: false } as const);
  if (previous?.state === 'FIRING' && previous.period !== period)
    return { state: 'OK', memory: before, end: 'NOT_APPLICABLE', newLevels: [], isNewForecast: false, figures };
  const newLevels = input.levels.filter(
    (level) => HUNDRED * spent >= BigInt(level) * whole && !before.reached.includes(level),
  );
  const isNewForecast = forecast !== null && amount(forecast) > whole && spent < whole && !before.isForecastReported;
  const state = newLevels.length > 0 || isNewForecast ? 'FIRING' : before.state;
  const reached = [...before.reached, ...newLevels].sort((one, other) => one - other);
  const memory = { state, period, reached, isForecastReported: before.isForecastReported || isNewForecast };
  return { state, memory, end: null, newLevels, isNewForecast, figures };
}

/**
 * The hour in which the cost exceeds the rest of a budget: the end of the first of the `ahead` hours from `from` at
 * which the forecast sum exceeds `left` USD. `hours` are the costs up to `from`, without gaps. Null: not within these
 * hours, or the history is too short. An estimate.
 */
export function passesAt(hours: readonly number[], from: Date, ahead: number, left: string): Date | null {
  const reaches = (count: number) => (forecastHours(hours, count)?.expected ?? 0) > Number(left);
  if (ahead < 1 || !reaches(ahead)) return null;
  // The forecast never decreases with more hours, so binary search finds the first one.
  let low = 0;
  let high = ahead;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  return new Date(from.getTime() + high * HOUR_MS);
}
