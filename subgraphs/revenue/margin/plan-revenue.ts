/** Revenue of a plan for one customer, and the flat price at which it breaks even. */
import { amount, type Amount, money, plain } from '#kernel/money.ts';
import { type CalendarUnit, nextUnitStart, unitStart } from '#kernel/time/calendar.ts';
import { microsOf } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { fail } from '#kernel/errors.ts';

/** Prices per customer and calendar month. */
export interface Plan {
  readonly flat: Amount;
  /** Events beyond `included` are charged at `overage` each; null if events are not charged. */
  readonly events: { readonly included: number; readonly overage: Amount } | null;
  /** Cost beyond `included` is charged times the factor; null if cost is not charged. */
  readonly cost: { readonly included: Amount; readonly factorMillionths: bigint } | null;
}

export interface PlanInput {
  readonly flat: string;
  readonly includedEvents?: number | null | undefined;
  readonly overagePerEvent?: string | null | undefined;
  readonly includedCost?: string | null | undefined;
  readonly overageCostFactor?: string | null | undefined;
}

export interface CustomerUsage {
  readonly cost: Amount;
  readonly events: number;
}

const LARGEST = money('1000000000');

/** Fails with `VALIDATION_ERROR`. */
export function parsePlan(input: PlanInput): Plan {
  const { includedEvents = null, overagePerEvent = null, includedCost = null, overageCostFactor = null } = input;
  if ((overagePerEvent === null) !== (includedEvents === null))
    fail('VALIDATION_ERROR', 'includedEvents and overagePerEvent must be given together; 0 includes none');
  if ((overageCostFactor === null) !== (includedCost === null))
    fail('VALIDATION_ERROR', 'includedCost and overageCostFactor must be given together; 0 includes none');
  if (includedEvents !== null && !(Number.isSafeInteger(includedEvents) && includedEvents >= 0))
    fail('VALIDATION_ERROR', 'includedEvents must be a whole number, 0 or more');
  return {
    flat: parseAmount('flat', input.flat, 9),
    events:
      includedEvents === null || overagePerEvent === null
        ? null
        : { included: includedEvents, overage: parseAmount('overagePerEvent', overagePerEvent, 9) },
    cost:
      includedCost === null || overageCostFactor === null
        ? null
        : {
            included: parseAmount('includedCost', includedCost, 9),
            factorMillionths: parseAmount('overageCostFactor', overageCostFactor, 6) / 1_000_000_000n,
          },
  };
}

function parseAmount(name: string, text: string, decimals: number): Amount {
  const value = money(text);
  if (value.isNegative() || value.gt(LARGEST) || value.decimalPlaces() > decimals)
    fail('VALIDATION_ERROR', `${name} must be from 0 to ${plain(LARGEST)} with at most ${decimals} decimals`);
  return amount(value.toFixed());
}

/**
 * Calendar months in a window, in billionths. A partial month counts by its share of the month's length, rounded half
 * up.
 */
export function monthsOf({ start, end }: Window): bigint {
  const unit: CalendarUnit = 'month';
  const [from, until] = [microsOf(start), microsOf(end)];
  let billionths = 0n;
  for (let first = unitStart(from, unit); first < until; first = nextUnitStart(first, unit)) {
    const next = nextUnitStart(first, unit);
    const part = (next < until ? next : until) - (first > from ? first : from);
    billionths += (part * BILLION + (next - first) / 2n) / (next - first);
  }
  return billionths;
}

const BILLION = 1_000_000_000n;
const MILLION = 1_000_000n;

/** Included amounts are pooled over the window. Each product is rounded half up to 15 decimals. */
export function planRevenue(plan: Plan, usage: CustomerUsage, months: bigint): Amount {
  return times(plan.flat, months, BILLION) + overageOf(plan, usage, months);
}

/** Lowest monthly flat price at which flat price and overage cover the cost; zero if the overage covers it. */
export function breakEvenFlat(plan: Plan, usage: CustomerUsage, months: bigint): Amount {
  const open = usage.cost - overageOf(plan, usage, months);
  return open <= 0n || months === 0n ? 0n : (open * BILLION + months - 1n) / months;
}

function overageOf({ events, cost }: Plan, usage: CustomerUsage, months: bigint): Amount {
  let overage = 0n;
  if (events !== null) {
    const beyond = BigInt(usage.events) * BILLION - BigInt(events.included) * months;
    if (beyond > 0n) overage += times(events.overage, beyond, BILLION);
  }
  if (cost !== null) {
    const beyond = usage.cost - times(cost.included, months, BILLION);
    if (beyond > 0n) overage += times(beyond, cost.factorMillionths, MILLION);
  }
  return overage;
}

function times(value: Amount, factor: bigint, of: bigint): Amount {
  return (value * factor + of / 2n) / of;
}
