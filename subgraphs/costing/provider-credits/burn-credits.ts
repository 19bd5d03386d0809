/**
 * Computes what credits pay for, day by day. A pure function of credits and costs, so late events and repricings lead
 * to the same result as early ones.
 */
import type { Amount } from '#kernel/money.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { type CostCell, type CostDay, isSelected } from '../provider-costs/selected-costs.ts';
import type { ProviderCredit } from './provider-credit.ts';

/** `expiry`: what is left on the last day. */
export const CREDIT_CAUSES = ['burn', 'expiry'] as const;
export type CreditCause = (typeof CREDIT_CAUSES)[number];

export interface Burn {
  readonly creditId: string;
  readonly day: string;
  readonly cause: CreditCause;
  readonly amount: Amount;
}

export type BurnableCredit = Pick<
  ProviderCredit,
  'id' | 'providerSlug' | 'models' | 'classes' | 'amount' | 'fromDay' | 'untilDay' | 'burnOrder'
>;

/**
 * `days`: all settled days on which a credit is in force, in order. Credits are used in their order; credits without an
 * order follow by earliest expiry. A class whose cost on a day is negative, because corrections of closed months exceed
 * it, uses no credit.
 */
export function burnCredits(credits: readonly BurnableCredit[], days: readonly CostDay[]): Burn[] {
  const ordered = credits.toSorted(compareCredits);
  const left = new Map(ordered.map(({ id, amount }) => [id, amount]));
  const burns: Burn[] = [];
  const selected = selections();
  for (const { day, cells } of days) {
    const unpaid = cells.map(({ cost }) => cost);
    for (const credit of ordered) {
      const available = left.get(credit.id)!;
      if (available === 0n || day < credit.fromDay || (credit.untilDay !== null && day >= credit.untilDay)) continue;
      let burnt = 0n;
      for (const index of selected(credit, cells)) {
        const cost = unpaid[index]!;
        if (cost <= 0n) continue;
        const part = cost < available - burnt ? cost : available - burnt;
        unpaid[index] = cost - part;
        burnt += part;
      }
      if (burnt === 0n) continue;
      left.set(credit.id, available - burnt);
      burns.push({ creditId: credit.id, day, cause: 'burn', amount: burnt });
    }
  }
  const last = days.at(-1)?.day;
  const until = last === undefined ? '' : addDays(last, 1);
  for (const { id, untilDay } of ordered) {
    const unused = left.get(id)!;
    if (unused > 0n && untilDay !== null && untilDay <= until)
      burns.push({ creditId: id, day: addDays(untilDay, -1), cause: 'expiry', amount: unused });
  }
  return burns;
}

const LAST = '9999-12-31';

function compareCredits(one: BurnableCredit, other: BurnableCredit): number {
  const [a, b] = [one, other].map(({ burnOrder }) => burnOrder ?? Number.POSITIVE_INFINITY);
  if (a !== b) return a! < b! ? -1 : 1;
  const [x, y] = [one, other].map(({ untilDay, fromDay, id }) => `${untilDay ?? LAST} ${fromDay} ${id}`);
  return x! < y! ? -1 : 1;
}

/** A forecast has the same cells on every day, so each credit selects among them once. */
function selections(): (credit: BurnableCredit, cells: readonly CostCell[]) => readonly number[] {
  const known = new WeakMap<readonly CostCell[], Map<string, readonly number[]>>();
  return (credit, cells) => {
    const ofCells = known.get(cells) ?? new Map<string, readonly number[]>();
    known.set(cells, ofCells);
    const found = ofCells.get(credit.id) ?? cells.flatMap((cell, index) => (isSelected(credit, cell) ? [index] : []));
    ofCells.set(credit.id, found);
    return found;
  };
}
