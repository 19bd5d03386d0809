/** Repeatable random numbers: the same seed gives the same values, so a second run of the demo sends nothing new. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
  /** One of the items, with a probability proportional to `weightOf`. */
  pick<Item>(items: readonly Item[], weightOf?: (item: Item) => number): Item;
  /** A log-normal whole number of at least 1: half of the values are below the median, and a few far above it. */
  around(median: number, spread?: number): number;
}

export function seededRandom(seed: string): Random {
  let state = hash(seed);
  // mulberry32: small, fast, and uniform enough for a demonstration.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (below) => Math.floor(next() * below),
    pick(items, weightOf = () => 1) {
      let place = next() * items.reduce((sum, item) => sum + weightOf(item), 0);
      return items.find((item) => (place -= weightOf(item)) < 0) ?? items[items.length - 1]!;
    },
    around(median, spread = 0.6) {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return Math.max(1, Math.round(median * Math.exp(spread * normal)));
    },
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}
