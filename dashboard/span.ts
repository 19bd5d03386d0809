/** The spans of time that the overview offers, each a period of the cost summary and the window of the same days. UTC. */
import type { VariablesOf } from '../schema/graphql.ts';

const DAY_MILLISECONDS = 86_400_000;

export interface Span {
  readonly name: string;
  readonly label: string;
  /** What the cost summary calls it. */
  readonly timeWindow: VariablesOf<'OverviewCosts'>['timeWindow'];
  readonly start: string;
  readonly end: string;
  /** What it is compared with. */
  readonly before: string;
}

export function spansAt(now: Date): readonly [Span, ...Span[]] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const thisMonth = Date.UTC(year, month, 1);
  const text = (epoch: number) => new Date(epoch).toISOString();
  const end = text(now.getTime());
  const rolling = (days: number) => text(now.getTime() - days * DAY_MILLISECONDS);
  return [
    { name: 'month', label: 'This month', timeWindow: 'CURRENT_PERIOD', start: text(thisMonth), end, before: 'the same days of last month' },
    { name: 'last-month', label: 'Last month', timeWindow: 'LAST_PERIOD', start: text(Date.UTC(year, month - 1, 1)), end: text(thisMonth), before: 'the month before' },
    { name: '30-days', label: '30 days', timeWindow: 'LAST_30_DAYS', start: rolling(30), end, before: 'the 30 days before' },
    { name: '90-days', label: '90 days', timeWindow: 'LAST_90_DAYS', start: rolling(90), end, before: 'the 90 days before' },
    { name: 'year', label: 'This year', timeWindow: 'YTD', start: text(Date.UTC(year, 0, 1)), end, before: 'last year to the same day' },
  ];
}
