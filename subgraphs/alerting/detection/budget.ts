/** `BUDGET`: which parts of an amount a period's cost has reached, each once a period, and whether the forecast goes beyond it. */
import { forecastHours } from '../../../kernel/forecast-hours.ts';
import { amount, plain } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';
import { HOUR_MS } from '../../../kernel/time/duration.ts';
import { type DetectedState, estimate, exact, type Verdict } from './verdict.ts';

export interface BudgetInput {
  /** What tells one period from another: `2026-11`, `2026-11-24`. */
  readonly period: string;
  /** USD, exact text: booked in the period so far, and what it may be. */
  readonly spent: string;
  readonly amount: string;
  /** Whole percent, ascending: 50, 80, 100. */
  readonly levels: readonly number[];
  /** USD that the period will have cost; null: no forecast, or not wanted. */
  readonly forecast: string | null;
}

export interface BudgetMemory {
  readonly state: DetectedState;
  readonly period: string | null;
  /** Levels that were reported in the period. */
  readonly reached: readonly number[];
  readonly isForecastReported: boolean;
}

export interface BudgetVerdict extends Verdict<BudgetMemory> {
  /** Levels to report now, ascending: reached since the last verdict. */
  readonly newLevels: readonly number[];
  /** The forecast is beyond the amount, for the first time in the period, and the cost is not yet. */
  readonly isNewForecast: boolean;
}

const HUNDRED = 100n;

/**
 * `FIRING` from the first level (or forecast) reported until the period is over; what a correction takes back stays reported: a level rings
 * once a period. The first verdict of a new period ends the old one's and judges nothing more, so that every period has an episode of its
 * own. The comparisons are of exact money, but for the forecast, which is an estimate.
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
 * When the cost passes what is left of a budget, to the hour: the first of the `ahead` hours from `from` on by whose end the forecast adds
 * up to `left` USD. `hours` are the costs up to `from`, without gaps. Null: not within them, or too short a history. An estimate.
 */
export function passesAt(hours: readonly number[], from: Date, ahead: number, left: string): Date | null {
  const reaches = (count: number) => (forecastHours(hours, count)?.expected ?? 0) > Number(left);
  if (ahead < 1 || !reaches(ahead)) return null;
  // A forecast of more hours is never less: the first one is found by halving.
  let low = 0;
  let high = ahead;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  return new Date(from.getTime() + high * HOUR_MS);
}
