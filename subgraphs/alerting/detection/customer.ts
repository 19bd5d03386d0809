/**
 * `CUSTOMER_UNPROFITABLE` and `COST_WITHOUT_REVENUE`: a customer over the trailing 30 days, judged once a day. Revenue
 * is recognized over its period, so a single day's margin is noise, and so are a customer's first two weeks. All
 * comparisons use exact money.
 */
import { type Amount, amount, plain } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { dayNumber } from './unusual-day.ts';
import { type DetectedEnd, type DetectedState, estimate, exact, type Verdict } from './verdict.ts';

export interface CustomerFigures {
  /** Last day of the window, `YYYY-MM-DD`, settled. */
  readonly day: string;
  /** The customer's first day with an event or revenue. Null: unknown, and therefore long ago. */
  readonly since: string | null;
  /** USD of the 30 days, as exact text. */
  readonly revenue: string;
  readonly cost: string;
}

export interface CustomerMemory {
  readonly state: DetectedState;
  readonly through: string | null;
  /** Consecutive evaluations that found the condition. */
  readonly times: number;
}

export const CUSTOMER_WINDOW_DAYS = 30;
const CUSTOMER_FIRST_DAYS = 14;
const EVALUATIONS = 2;
const CLOSES_ABOVE_PERCENT = 2n;

const NOTHING_REMEMBERED: CustomerMemory = { state: 'OK', through: null, times: 0 };

/**
 * Fires after two daily evaluations with revenue above zero and a loss above the floor. Ends with a margin above 2 %.
 */
export function judgeUnprofitable(
  input: CustomerFigures & { readonly floor: string },
  previous: CustomerMemory | null,
): Verdict<CustomerMemory> {
  const revenue = amount(input.revenue);
  const cost = amount(input.cost);
  const margin = revenue - cost;
  return judge(input, previous, {
    isSeen: revenue > 0n && -margin > amount(input.floor),
    // A customer without revenue that still causes costs has not recovered; one with neither is gone.
    end:
      revenue > 0n && 100n * margin > CLOSES_ABOVE_PERCENT * revenue
        ? 'RECOVERED'
        : revenue <= 0n && cost <= 0n
          ? 'NOT_APPLICABLE'
          : null,
  });
}

/**
 * Fires after two daily evaluations with a cost above the floor and no revenue. Ends with revenue, or with a cost of
 * at most four fifths of the floor.
 */
export function judgeCostWithoutRevenue(
  input: CustomerFigures & { readonly floor: string },
  previous: CustomerMemory | null,
): Verdict<CustomerMemory> {
  const revenue = amount(input.revenue);
  const cost = amount(input.cost);
  const floor = amount(input.floor);
  return judge(input, previous, {
    isSeen: revenue <= 0n && cost > floor,
    end: revenue > 0n ? 'RECOVERED' : 5n * cost <= 4n * floor ? 'NOT_APPLICABLE' : null,
  });
}

function judge(
  { day, since, ...input }: CustomerFigures,
  previous: CustomerMemory | null,
  { isSeen, end }: { readonly isSeen: boolean; readonly end: DetectedEnd | null },
): Verdict<CustomerMemory> {
  const before = previous ?? NOTHING_REMEMBERED;
  const figures = figuresOf(amount(input.revenue), amount(input.cost));
  const verdict = (state: DetectedState, times: number, ended: DetectedEnd | null = null) => ({
    state,
    memory: { state, through: day, times },
    end: ended,
    figures,
  });
  if (before.through !== null && before.through >= day)
    return { state: before.state, memory: before, end: null, figures };
  if (before.state === 'FIRING') return end === null ? verdict('FIRING', 0) : verdict('OK', 0, end);
  if (since !== null && dayNumber(day) - dayNumber(since) < CUSTOMER_FIRST_DAYS) return verdict('LEARNING', 0);
  if (!isSeen) return verdict('OK', 0);
  return before.times + 1 >= EVALUATIONS ? verdict('FIRING', 0) : verdict('PENDING', before.times + 1);
}

function figuresOf(revenue: Amount, cost: Amount) {
  return [
    exact('revenue', plain(revenue), 'usd'),
    exact('cost', plain(cost), 'usd'),
    exact('margin', plain(revenue - cost), 'usd'),
    estimate('margin_percent', percent(revenue - cost, revenue), 'percent'),
  ];
}
