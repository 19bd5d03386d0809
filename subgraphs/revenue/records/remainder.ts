/** The remainder of an invoice's lines, and of its tax and shipping, after reversals. No line falls below zero. */
import { allocate } from '#kernel/allocate.ts';

export interface Remainder {
  /** Takes at most `amount` from one line and returns the amount taken. */
  takeFromLine(index: number, amount: bigint): bigint;
  /**
   * Takes `amount` from all lines in proportion to their original amounts; a gross amount also from tax and shipping.
   * If a line has too little left, the amount is spread by what the lines have left. Returns the amount taken per
   * line, negative for the line of a credit.
   */
  take(amount: bigint, of: { isGross: boolean }): bigint[];
}

/** Amounts in minor units. Nothing can be taken if the lines add up to zero or less. */
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
