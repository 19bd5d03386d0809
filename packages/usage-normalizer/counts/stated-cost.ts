/**
 * The cost of a call as stated by a provider or a sender. It is never booked. It shows that something billed was not
 * reported, or is priced differently. A stated 0 means that the price is unknown, and is ignored.
 */
import { money, type Money, plain, quantity, ZERO } from '#kernel/money.ts';
import type { UsageSource } from './usage-sources.ts';
import { valueAt } from './value-at.ts';

/** Metadata keys in which our own endpoints store the costs that senders state, as written. */
const REPORTED_COST = 'reported_cost';
export const REPORTED_TOOL_COST = 'reported_tool_cost';
export const STATED_COST_KEYS: readonly string[] = [REPORTED_COST, REPORTED_TOOL_COST];

const TICKS_PER_USD = quantity(10_000_000_000);
/** Two percent. */
const TOLERANCE = quantity('0.02');

/**
 * The cost in USD stated by the provider: xAI's ticks, OpenRouter's `cost` (for a caller's own key, its fee, to which
 * the vendor's charge is added), Perplexity's total, the cost that other routers and DeepInfra state in their usage object.
 */
export function providerCost(sources: readonly UsageSource[]): Money | null {
  for (const { fields, isContainer } of sources) {
    const ticks = fields['cost_in_usd_ticks'];
    if (isAmount(ticks)) return money(String(ticks)).div(TICKS_PER_USD);
    const isRouted = Object.hasOwn(fields, 'cost_details') || Object.hasOwn(fields, 'is_byok');
    const ofRouter = isRouted ? (fields['cost'] ?? fields['total_cost']) : undefined;
    const ofVendor = valueAt(fields, ['cost_details', 'upstream_inference_cost']);
    if (fields['is_byok'] === true && isAmount(ofVendor))
      return money(String(ofVendor)).plus(isAmount(ofRouter) ? money(String(ofRouter)) : ZERO);
    const stated = [
      fields['is_byok'] === true ? undefined : ofRouter,
      valueAt(fields, ['cost', 'total_cost']),
      ...(isContainer && !isRouted ? [fields['cost'], fields['estimated_cost']] : []),
    ].find(isAmount);
    if (stated !== undefined) return money(String(stated));
  }
  return null;
}

/** In JSON that is generated from protocol buffers, large numbers are text. */
function isAmount(value: unknown): value is number | string {
  const amount = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount > 0;
}

type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The cost in USD stated by the reporter of the call (a gateway, a coding agent, a span), or the part of it for tools.
 */
export function reportedCost(metadata: Metadata, key: string = REPORTED_COST): Money | null {
  const text = valueAt(metadata, [key]);
  const amount = typeof text === 'string' && DECIMAL.test(text) ? money(text) : null;
  return amount === null || amount.isZero() ? null : amount;
}

const DECIMAL = /^\d{1,15}(?:\.\d+)?(?:[eE]-?\d{1,2})?$/;

/** True if the difference is larger than rounding explains. */
export function differsNotably(cost: Money, stated: Money): boolean {
  const greater = cost.gt(stated) ? cost : stated;
  return cost.minus(stated).abs().gt(greater.times(TOLERANCE));
}

/** Compares a stated cost with the computed one, in USD, for an explanation. */
export function describeCosts(who: string, stated: Money, cost: Money): string {
  return `the ${who} states a cost of ${plain(stated)}; by the rate card it is ${plain(cost)}`;
}
