/** What reversals have left of an invoice's lines, and of what was charged besides them. No line is taken below zero. */
import { allocate } from './allocate.ts';

export interface Remainder {
  /** Takes at most `amount` from one line; says how much. */
  takeFromLine(index: number, amount: bigint): bigint;
  /**
   * Takes `amount` from all lines by what they were worth, and of a gross amount from tax and shipping too; where a line has less left,
   * the others give what they have left. Says how much each line gave: negative for the line of a credit, which is taken back likewise.
   */
  take(amount: bigint, of: { isGross: boolean }): bigint[];
}

/** Minor units. An invoice whose lines add up to nothing, or less, has nothing to take. */
export function openRemainder(lines: readonly bigint[], besides: bigint): Remainder {
  const left = [...lines];
  let besidesLeft = besides;
  const earned = () => atLeastZero(left.reduce((sum, part) => sum + part, 0n));
  const giving = (parts: readonly bigint[]): bigint[] => {
    parts.forEach((part, index) => {
      left[index] = (left[index] ?? 0n) - part;
    });
    return [...parts];
  };
  const fits = (parts: readonly bigint[]) => {
    const taken = parts.reduce((sum, part) => sum + part, 0n);
    return taken >= 0n && taken <= earned() && parts.every((part, index) => isWithin(part, left[index] ?? 0n));
  };
  return {
    takeFromLine(index, amount) {
      const part = smallest(amount, atLeastZero(left[index] ?? 0n), earned());
      giving(left.map((_, place) => (place === index ? part : 0n)));
      return part;
    },
    take(amount, { isGross }) {
      if (amount <= 0n || earned() === 0n) return [];
      const weights = [...lines, isGross ? besides : 0n];
      const parts = allocate(amount, weights);
      const ofBesides = parts.pop() ?? 0n;
      if (fits(parts) && ofBesides <= besidesLeft) {
        besidesLeft -= ofBesides;
        return giving(parts);
      }
      const toLines = smallest(earned(), amount - smallest(ofBesides, besidesLeft));
      if (isGross) besidesLeft -= smallest(besidesLeft, amount - toLines);
      return giving(allocate(toLines, left));
    },
  };
}

function isWithin(part: bigint, whole: bigint): boolean {
  return whole < 0n ? part >= whole && part <= 0n : part >= 0n && part <= whole;
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function smallest(...amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}
