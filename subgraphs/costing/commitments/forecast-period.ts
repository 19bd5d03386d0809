/**
 * Forecasts when a period's commitment is fulfilled, or by how much it is missed, if each day costs as much as the last
 * 30 settled days did on average.
 */
import type { Amount } from '#kernel/money.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import type { Period } from './commitment.ts';
import type { SpentDay } from './fulfil-commitment.ts';

export const HISTORY_DAYS = 30;

export interface PeriodForecast {
  /** Null: the commitment is not fulfilled before the period ends. */
  readonly fulfilledOn: string | null;
  /** 0 if it is fulfilled. */
  readonly missedBy: Amount;
}

/**
 * `left`: the amount still missing after the settled `days`, which may begin before the period. Null if nothing is
 * missing, the period is over, or no day is settled.
 */
export function forecastPeriod(left: Amount, period: Period, days: readonly SpentDay[]): PeriodForecast | null {
  const history = days.slice(-HISTORY_DAYS);
  const last = history.at(-1)?.day;
  if (left <= 0n || last === undefined) return null;
  const next = addDays(last, 1);
  const from = next > period.fromDay ? next : period.fromDay;
  if (from >= period.untilDay) return null;
  const daysAhead = BigInt((Date.parse(period.untilDay) - Date.parse(from)) / DAY_MS);
  const count = BigInt(history.length);
  const sum = history.reduce((total, { spent }) => total + spent, 0n);
  if (sum <= 0n) return { fulfilledOn: null, missedBy: left };
  const daysNeeded = (left * count + sum - 1n) / sum;
  if (daysNeeded <= daysAhead) return { fulfilledOn: addDays(from, Number(daysNeeded) - 1), missedBy: 0n };
  return { fulfilledOn: null, missedBy: left - (sum * daysAhead) / count };
}
