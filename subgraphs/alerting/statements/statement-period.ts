/** When statements are sent, and what they cover: calendar weeks from Monday, and months, in UTC. */
import { type CalendarUnit, nextUnitStart, unitStart } from '#kernel/time/calendar.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { STATEMENT_HOURS } from '../config.ts';
import type { StatementPeriod } from '../resolvers.generated.ts';

const UNITS = { WEEK: 'week', MONTH: 'month' } as const satisfies Record<StatementPeriod, CalendarUnit>;

/** Start of the period that contains an instant. */
export function periodStart(at: Date, period: StatementPeriod): Date {
  return dateOf(unitStart(microsOf(at), UNITS[period]));
}

/** Start of the next period. */
export function periodEnd(start: Date, period: StatementPeriod): Date {
  return dateOf(nextUnitStart(microsOf(start), UNITS[period]));
}

/** When the statement of the period that starts at `start` is due. */
export function statementDueAt(start: Date, period: StatementPeriod): Date {
  return new Date(periodEnd(start, period).getTime() + STATEMENT_HOURS * HOUR_MS);
}

function microsOf(date: Date): bigint {
  return BigInt(date.getTime()) * 1000n;
}

function dateOf(micros: bigint): Date {
  return new Date(Number(micros / 1000n));
}
