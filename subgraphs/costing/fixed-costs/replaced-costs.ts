/** Model costs that a fixed cost replaces, for each of its shares. The margin after fixed costs leaves them out. */
import { type Amount, amount } from '#kernel/money.ts';
import type { AllocationShare } from './allocate-day.ts';
import type { UseOfDay } from './driver-use.query.ts';
import type { FixedCostTerms } from './fixed-cost.ts';

export interface DayShare extends AllocationShare {
  /** Model cost of the carrier's events in scope; zero unless the fixed cost replaces it. */
  readonly replacedCost: Amount;
}

/** Adds the replaced costs of a day to its shares. Events count for their own end user, whoever carries the fixed cost. */
export function withReplacedCosts(
  { replacesModelCost }: Pick<FixedCostTerms, 'replacesModelCost'>,
  shares: readonly AllocationShare[],
  uses: UseOfDay['uses'],
): DayShare[] {
  const byCarrier = new Map<string, DayShare>(
    shares.map((share) => [carrierKey(share), { ...share, replacedCost: 0n }]),
  );
  for (const { externalId, cost } of replacesModelCost ? uses : []) {
    const carrier = { carrier: externalId === '' ? ('unassigned' as const) : ('end_user' as const), externalId };
    const share = byCarrier.get(carrierKey(carrier)) ?? { ...carrier, measure: 0n, amount: 0n };
    byCarrier.set(carrierKey(carrier), { ...share, replacedCost: amount(cost) });
  }
  return [...byCarrier.values()].filter((share) => !isEmpty(share));
}

/** Key for shares by carrier and end user. */
export function carrierKey({ carrier, externalId }: Pick<AllocationShare, 'carrier' | 'externalId'>): string {
  return `${carrier} ${externalId}`;
}

/** True for a share without use, amount and replaced cost. */
export function isEmpty({ measure, amount: carried, replacedCost }: DayShare): boolean {
  return measure === 0n && carried === 0n && replacedCost === 0n;
}
