/** Synthetic series of daily costs with planted shapes, identical in every run. */

export interface Shape {
  readonly name: string;
  /** Factor applied to the cost, by days since the shape was planted. */
  readonly factor: (daysAfter: number) => number;
  /** Days within which the shape must be reported; null if no alert is required. */
  readonly promised: number | null;
}

/** Each shape changes a company's whole daily cost by the stated factor. */
export const SHAPES: readonly Shape[] = [
  { name: 'price doubled', factor: () => 2, promised: 2 },
  { name: 'retry loop, one day of five times the cost', factor: (days) => (days === 0 ? 5 : 1), promised: 1 },
  { name: 'cache lost, 1.6 times the cost', factor: () => 1.6, promised: 2 },
  { name: 'model switched, three times the cost', factor: () => 3, promised: 2 },
  { name: 'a new customer, a fifth more', factor: () => 1.2, promised: null },
  { name: 'growth of a tenth a week', factor: (days) => 1.1 ** (days / 7), promised: null },
  { name: 'a customer gone, a third less', factor: () => 0.67, promised: null },
];

export interface MadeSeries {
  readonly name: string;
  readonly costs: readonly number[];
}

const PER_KIND = 40;
const DAYS = 150;

/** Kinds of companies, by weekend level and daily noise. */
const KINDS: readonly { readonly name: string; readonly weekend: number; readonly sigma: number }[] = [
  { name: 'steady', weekend: 1, sigma: 0.05 },
  { name: 'office hours', weekend: 0.35, sigma: 0.1 },
  { name: 'noisy', weekend: 0.7, sigma: 0.25 },
];

export function makeSeries(): MadeSeries[] {
  const random = generator(20_261_122);
  return KINDS.flatMap(({ name, weekend, sigma }) =>
    Array.from({ length: PER_KIND }, () => {
      const level = 10 ** (1 + 2 * random());
      // Growth from about -2 to +4 percent a week.
      const growth = 1 + (random() - 0.3) * 0.06;
      const costs = Array.from(
        { length: DAYS },
        (_, day) => level * growth ** (day / 7) * (day % 7 < 5 ? 1 : weekend) * Math.exp(sigma * normal(random)),
      );
      return { name, costs };
    }),
  );
}

export function plant(costs: readonly number[], { factor }: Shape, at: number): number[] {
  return costs.map((cost, day) => (day < at ? cost : cost * factor(day - at)));
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Mulberry32, since the platform's randomness is not repeatable. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
