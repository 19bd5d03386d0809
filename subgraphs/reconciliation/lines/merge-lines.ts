/** Adds up the lines of a bill with the same meaning, such as the hours of a day. */
import type { Money } from '#kernel/money.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { BillLine } from './bill-line.ts';

export interface MergedLines {
  add(line: BillLine): void;
  count(): number;
  /** `withCommonDigits`: all lines get the fraction digits of the most exact one. */
  lines(withCommonDigits: boolean): Promise<BillLine[]>;
}

export function mergedLines(): MergedLines {
  const merged = new Map<string, BillLine>();
  let digitsMax = 0;
  return {
    add(line) {
      const key = lineKey(line);
      const before = merged.get(key);
      merged.set(key, before === undefined ? line : added(before, line));
      digitsMax = Math.max(digitsMax, line.digits);
    },
    count: () => merged.size,
    async lines(withCommonDigits) {
      const lines = [...merged.values()];
      return withCommonDigits ? mapInSlices(lines, (line) => ({ ...line, digits: digitsMax })) : lines;
    },
  };
}

/** Key of a line: everything that identifies it within its source. */
export function lineKey({ day, lastDay, label, provider, kind, meaning, currency, scopes, part }: BillLine): string {
  const { model = null, tokenClass = null, context = '', rule = null } = meaning ?? {};
  return JSON.stringify([
    day,
    lastDay,
    part,
    provider,
    kind,
    label,
    rule,
    model,
    tokenClass,
    context,
    currency,
    scopes,
  ]);
}

function added(one: BillLine, other: BillLine): BillLine {
  return {
    ...one,
    // If one row does not state its quantity, the sum is unknown.
    quantity: one.quantity === null || other.quantity === null ? null : one.quantity.plus(other.quantity),
    list: one.list === null || other.list === null ? null : one.list.plus(other.list),
    discount: plus(one.discount, other.discount),
    credit: plus(one.credit, other.credit),
    tax: plus(one.tax, other.tax),
    net: plus(one.net, other.net),
    digits: Math.max(one.digits, other.digits),
    rows: one.rows + other.rows,
  };
}

/** A component that neither row states stays unstated. */
function plus(one: Money | null, other: Money | null): Money | null {
  if (one === null) return other;
  return other === null ? one : one.plus(other);
}
