/** A cost that a sender reports of its call: kept with the event, and the event's own where the organization books this source (decision 31). */
import { money, plain, toLedger } from '../../../kernel/money.ts';

/** The door of LiteLLM, and its name among the sources whose costs may be booked. */
export const LITELLM = 'litellm';

const DECIMAL = /^\d{1,12}(?:\.\d+)?(?:[eE]-?\d{1,2})?$/;
const COST_MAX = money('1000000000000');

export interface ReportedCost {
  /** Fields of the event. */
  readonly event: { readonly cost_override?: string };
  /** Keys of its metadata. */
  readonly metadata: { readonly reported_cost?: string };
}

/**
 * `cost` is USD as it was written. What is no amount above zero is kept and never booked: senders write 0 for models whose price they
 * do not know, and then the rate cards decide.
 */
export function readReportedCost(cost: string | null, isBooked: boolean): ReportedCost {
  if (cost === null) return { event: {}, metadata: {} };
  const amount = isBooked && DECIMAL.test(cost) ? toLedger(money(cost)) : null;
  const isAmount = amount !== null && !amount.isZero() && amount.lessThan(COST_MAX);
  return { event: isAmount ? { cost_override: plain(amount) } : {}, metadata: { reported_cost: cost } };
}
