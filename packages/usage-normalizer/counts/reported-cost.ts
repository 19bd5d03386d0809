/**
 * A cost that a sender reports for its call. It is stored with the event, and used as the event's cost if the
 * organization books this source's costs (decision 31).
 */
import { money, plain, sum, toLedger } from '#kernel/money.ts';

/** LiteLLM's endpoint, and its name among the sources whose costs may be booked. */
export const LITELLM = 'litellm';

const DECIMAL = /^\d{1,12}(?:\.\d+)?(?:[eE]-?\d{1,2})?$/;
const COST_MAX = money('1000000000000');

export interface ReportedCost {
  /** Fields of the event. */
  readonly event: { readonly cost_override?: string };
  /** Metadata keys of the event. */
  readonly metadata: { readonly reported_cost?: string };
}

/**
 * `cost` is USD as written. A value that is not an amount above zero is stored but never booked: senders write 0 for
 * models without a known price, and the rate cards then decide.
 */
export function readReportedCost(cost: string | null, isBooked: boolean): ReportedCost {
  if (cost === null) return { event: {}, metadata: {} };
  const amount = isBooked && DECIMAL.test(cost) ? toLedger(money(cost)) : null;
  const isAmount = amount !== null && !amount.isZero() && amount.lt(COST_MAX);
  return { event: isAmount ? { cost_override: plain(amount) } : {}, metadata: { reported_cost: cost } };
}

/** USD: the total, or the sum of the parts. Null if there are no costs. */
export function totalOfCosts({ total, ...parts }: Readonly<Record<string, unknown>>): string | null {
  const costs = (total === undefined ? Object.values(parts) : [total]).filter(isAmount);
  return costs.length === 0 ? null : plain(sum(costs.map((cost) => money(String(cost)))));
}

function isAmount(value: unknown): value is number | string {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^\d{1,12}(?:\.\d+)?(?:[eE]-?\d{1,2})?$/.test(text);
}
