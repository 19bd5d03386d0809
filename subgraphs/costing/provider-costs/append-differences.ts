/** Entries that bring amounts by day up to date without changing earlier entries. */
import type { Amount } from '#kernel/money.ts';

interface Entry {
  readonly day: string;
  readonly amount: Amount;
}

type Revised<One extends Entry> = One & { readonly revision: number };

/** Differences that turn `before` into `after`. `keyOf` names the sum that an entry is part of. */
export function differencesOf<One extends Entry>(
  before: readonly One[],
  after: readonly One[],
  keyOf: (entry: One) => string,
): One[] {
  const differences = new Map<string, One>();
  const add = (entry: One, added: Amount) =>
    differences.set(keyOf(entry), { ...entry, amount: (differences.get(keyOf(entry))?.amount ?? 0n) + added });
  for (const entry of before) add(entry, -entry.amount);
  for (const entry of after) add(entry, entry.amount);
  return [...differences.values()].filter(({ amount }) => amount !== 0n);
}

/**
 * Returns the differences with the next revision of their owner. They count on their day, or on the first open day if
 * the month of their day is closed (decision 29).
 */
export function entriesToAppend<One extends Entry>(
  differences: readonly One[],
  before: readonly Revised<One>[],
  { ownerOf, closedUntil }: { readonly ownerOf: (entry: One) => string; readonly closedUntil: string | null },
): (Revised<One> & { readonly bookedDay: string })[] {
  const revisions = new Map<string, number>();
  for (const entry of before)
    revisions.set(ownerOf(entry), Math.max(entry.revision, revisions.get(ownerOf(entry)) ?? 0));
  const openFrom = closedUntil?.slice(0, 10) ?? '';
  return differences.map((entry) => ({
    ...entry,
    revision: (revisions.get(ownerOf(entry)) ?? 0) + 1,
    bookedDay: openFrom > entry.day ? openFrom : entry.day,
  }));
}
