/**
 * Revenue recognized up to each of several instants, for tens of thousands of records at once, by the rule of
 * `recognized-sql.ts` and to the same digit. From one instant to the next, the quotient of a record grows by a fixed quotient and
 * remainder if the instants are equally far apart, so only the first is divided.
 */
import { absolute, type Amount } from '#kernel/money.ts';

/** Times are whole microseconds since 1970. */
export interface RecognizedRecord {
  readonly amount: Amount;
  readonly periodStart: bigint;
  readonly periodEnd: bigint;
  /** Index of the first instant after the start of recognition. */
  readonly started: number;
  /** Index of the first instant by which the whole amount is recognized; the number of instants if none is that late. */
  readonly ended: number;
}

export interface RecognizedTotals {
  add(record: RecognizedRecord): void;
  /** The total at each instant. */
  totals(): Amount[];
}

/** Remainders of longer periods, of about 70 years, are too large to be added as numbers. */
const LENGTH_MAX = 2n ** 51n;

/** `instants`: in order, in microseconds since 1970. */
export function recognizedTotals(instants: readonly bigint[]): RecognizedTotals {
  const { first, last, distance } = regularPart(instants);
  /** The total at index i is `sum(changes[0..i]) + i × sum(growths[0..i]) + exact[i] + carried[i]`. */
  const changes = instants.map(() => 0n);
  const growths = instants.map(() => 0n);
  const exact = instants.map(() => 0n);
  const carried = instants.map(() => 0);

  function change(index: number, amount: Amount, growth: Amount): void {
    if (index >= instants.length) return;
    changes[index]! += amount;
    growths[index]! += growth;
  }

  function addPart(record: RecognizedRecord, index: number): void {
    exact[index]! += recognizedWithin(record, instants[index]!);
  }

  /** Adds the parts of a record at regular instants, from the index `from` to before `until`. */
  function addParts(record: RecognizedRecord, from: number, until: number): void {
    const { amount, periodStart, periodEnd } = record;
    const sign = amount < 0n ? -1 : 1;
    const [size, length] = [absolute(amount), periodEnd - periodStart];
    const divisor = 2n * length;
    const dividend = 2n * size * (instants[from]! - periodStart) + length;
    const growth = (2n * size * distance) / divisor;
    const signed = (quotient: Amount) => (sign < 0 ? -quotient : quotient);
    const whole = dividend / divisor - BigInt(from) * growth;
    change(from, signed(whole), signed(growth));
    change(until, -signed(whole), -signed(growth));
    const [limit, step] = [Number(divisor), Number((2n * size * distance) % divisor)];
    let [remainder, carry] = [Number(dividend % divisor), 0];
    for (let index = from + 1; index < until; index++) {
      remainder += step;
      if (remainder >= limit) {
        remainder -= limit;
        carry += sign;
      }
      carried[index]! += carry;
    }
  }

  return {
    add(record) {
      const { amount, periodStart, periodEnd, started, ended } = record;
      change(ended, amount, 0n);
      const isShort = periodEnd - periodStart <= LENGTH_MAX;
      const from = isShort ? Math.max(started, first) : ended;
      const until = Math.max(Math.min(ended, last + 1), from);
      for (let index = started; index < Math.min(from, ended); index++) addPart(record, index);
      if (from < until) addParts(record, from, until);
      for (let index = until; index < ended; index++) addPart(record, index);
    },
    totals() {
      let [amount, growth] = [0n, 0n];
      return instants.map((_, index) => {
        amount += changes[index]!;
        growth += growths[index]!;
        return amount + BigInt(index) * growth + exact[index]! + BigInt(carried[index]!);
      });
    },
  };
}

/** Amount recognized up to an instant within the period, rounded half away from zero. */
function recognizedWithin({ amount, periodStart, periodEnd }: RecognizedRecord, instant: bigint): Amount {
  const [size, length] = [absolute(amount), periodEnd - periodStart];
  const quotient = (2n * size * (instant - periodStart) + length) / (2n * length);
  return amount < 0n ? -quotient : quotient;
}

/**
 * The range `first` to `last` of instants that are equally far apart. Leaves out the first or the last instant if its
 * distance differs.
 */
function regularPart(instants: readonly bigint[]): { first: number; last: number; distance: bigint } {
  const between = (index: number) => instants[index + 1]! - instants[index]!;
  if (instants.length < 3) return { first: instants.length, last: -1, distance: 0n };
  const distance = between(1);
  let last = 2;
  while (last + 1 < instants.length && between(last) === distance) last++;
  return { first: between(0) === distance ? 0 : 1, last, distance };
}
