/**
 * Divides a day's amount of a fixed cost among its carriers. Unused capacity is idle, so that the parts add up to the
 * amount.
 */
import { allocate } from '#kernel/allocate.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { type FixedCostTerms, MEASURED_DRIVERS } from './fixed-cost.ts';

/** `unassigned`: events without an end user. `idle`: unused capacity. `unallocated`: stays with the organization. */
export const CARRIERS = ['end_user', 'unassigned', 'idle', 'unallocated'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** The measured use of one end user on a day, from its events in scope. */
export interface UseOfEndUser {
  /** Empty: no end user. */
  readonly externalId: string;
  readonly events: number;
  /** In the driver's unit. */
  readonly measure: Amount;
}

export interface AllocationShare {
  readonly carrier: Carrier;
  /** Empty unless an end user carries the share. */
  readonly externalId: string;
  /** In the driver's unit; for `idle` the unused capacity. */
  readonly measure: Amount;
  readonly amount: Amount;
}

const HUNDRED_PERCENT = amount('100');

/**
 * The amounts of the shares add up to `dayAmount`. The order of `uses` does not matter: if remainders are equal, end
 * users come before other carriers, and the lesser external id gets the smallest unit.
 */
export function allocateDay(
  { driver, capacity, shares }: Pick<FixedCostTerms, 'driver' | 'capacity' | 'shares'>,
  dayAmount: Amount,
  uses: readonly UseOfEndUser[],
): AllocationShare[] {
  if (driver === 'none') return [unallocated(dayAmount)];
  if (driver === 'shares') {
    const parts = shares.map(({ externalId, percent }) => ({ externalId, measure: amount(percent) }));
    return divide(dayAmount, parts, { carrier: 'unallocated', measure: HUNDRED_PERCENT - total(parts) });
  }
  if (driver === 'equal') {
    const active = uses.filter(({ externalId, events }) => externalId !== '' && events > 0);
    return divide(
      dayAmount,
      active.map(({ externalId }) => ({ externalId, measure: amount('1') })),
      null,
    );
  }
  // Corrections may make the measured cost of an end user negative. Such an end user gets no share.
  const used = uses.filter(({ measure }) => measure > 0n);
  const free = capacity === null ? 0n : capacity - total(used);
  return divide(dayAmount, used, free > 0n ? { carrier: 'idle', measure: free } : null);
}

/** The measured use of a day; null for drivers that do not measure use. */
export function usedMeasure({ driver }: Pick<FixedCostTerms, 'driver'>, uses: readonly UseOfEndUser[]): Amount | null {
  return MEASURED_DRIVERS.has(driver) ? total(uses.filter(({ measure }) => measure > 0n)) : null;
}

interface Part {
  readonly externalId: string;
  readonly measure: Amount;
}

function divide(
  dayAmount: Amount,
  parts: readonly Part[],
  rest: { readonly carrier: Carrier; readonly measure: Amount } | null,
): AllocationShare[] {
  const carriers = [
    ...parts.map((part) => ({
      ...part,
      carrier: part.externalId === '' ? ('unassigned' as const) : ('end_user' as const),
    })),
    ...(rest === null ? [] : [{ ...rest, externalId: '' }]),
  ].toSorted(
    (one, other) =>
      CARRIERS.indexOf(one.carrier) - CARRIERS.indexOf(other.carrier) || (one.externalId < other.externalId ? -1 : 1),
  );
  const weights = carriers.map(({ measure }) => measure);
  if (weights.every((weight) => weight === 0n)) return [unallocated(dayAmount)];
  const amounts = allocate(dayAmount, weights);
  return carriers.map((carrier, index) => ({ ...carrier, amount: amounts[index]! }));
}

function unallocated(dayAmount: Amount): AllocationShare {
  return { carrier: 'unallocated', externalId: '', measure: 0n, amount: dayAmount };
}

function total(parts: readonly { readonly measure: Amount }[]): Amount {
  return parts.reduce((sum, { measure }) => sum + measure, 0n);
}
