/** GraphQL view of a commitment, with its newest periods. */
import type { Amount } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { type Commitment, type Period, periodsUntil } from './commitment.ts';
import { forecastPeriod, type PeriodForecast } from './forecast-period.ts';
import type { CommitmentAmount, SpentDay } from './fulfil-commitment.ts';

const PERIODS_SHOWN = 12;

const LENGTHS = { month: 'MONTH', quarter: 'QUARTER', year: 'YEAR', term: 'TERM' } as const;

export interface CommitmentFigures {
  /** Amounts of the shown periods, in order of days. */
  readonly amounts: readonly CommitmentAmount[];
  /** The latest settled days, for the forecast; empty for no forecast. */
  readonly days: readonly SpentDay[];
}

/** The first day whose amounts are shown; null if no period has begun. */
export function firstShownDay(commitment: Commitment, today: string): string | null {
  return shownPeriods(commitment, today)[0]?.fromDay ?? null;
}

function shownPeriods(commitment: Commitment, today: string): readonly Period[] {
  return periodsUntil(commitment, addDays(today, 1)).slice(-PERIODS_SHOWN);
}

/** `today`: a UTC day, `YYYY-MM-DD`. */
export function toCommitmentView(commitment: Commitment, { amounts, days }: CommitmentFigures, today: string) {
  const { id, name, providerSlug, models, amount, periodLength, fromDay, untilDay, changedAt } = commitment;
  const periods = shownPeriods(commitment, today).map((period) =>
    toPeriodView(
      amount,
      period,
      amounts.filter(({ day }) => day >= period.fromDay && day < period.untilDay),
      days,
    ),
  );
  return {
    id,
    name,
    provider: providerSlug,
    models: models && [...models],
    amount,
    currency: 'USD',
    period: LENGTHS[periodLength],
    from: fromDay,
    until: untilDay,
    current: periods.find(({ from, until }) => from <= today && today < until) ?? null,
    periods: periods.toReversed(),
    changedAt,
  };
}

interface PeriodView {
  readonly from: string;
  readonly until: string;
  readonly spent: Amount;
  readonly left: Amount;
  readonly shortfall: Amount;
  readonly fulfilledOn: string | null;
  readonly forecast: PeriodForecast | null;
}

function toPeriodView(
  amount: Amount,
  period: Period,
  found: readonly CommitmentAmount[],
  days: readonly SpentDay[],
): PeriodView {
  let spent = 0n;
  let shortfall = 0n;
  let fulfilledOn: string | null = null;
  for (const { day, cause, amount: added } of found) {
    if (cause === 'shortfall') {
      shortfall += added;
      continue;
    }
    spent += added;
    // Corrections may lower the spend below the amount again.
    if (spent < amount) fulfilledOn = null;
    else fulfilledOn ??= day;
  }
  const missing = amount - spent - shortfall;
  const left = missing > 0n ? missing : 0n;
  return {
    from: period.fromDay,
    until: period.untilDay,
    spent,
    left,
    shortfall,
    fulfilledOn,
    forecast: forecastPeriod(left, period, days),
  };
}
