/** Divides long work into slices, so that the event loop can serve others in between. */
import { elapsedMilliseconds } from './clock.ts';

/** Length of a slice: long enough that pauses cost little, short enough not to be noticed. */
const SLICE_MILLISECONDS = 2;

export interface Pace {
  /** True if the slice should end. */
  isDue(): boolean;
  /** Ends the slice. The next one starts after other waiting work. */
  rest(): Promise<void>;
}

/** Starts the first slice. */
export function pace(): Pace {
  let since = elapsedMilliseconds();
  return {
    isDue: () => elapsedMilliseconds() - since >= SLICE_MILLISECONDS,
    async rest() {
      await afterOthers();
      since = elapsedMilliseconds();
    },
  };
}

/** Work waiting for its next slice: one slice runs per event-loop tick. */
const waiting: (() => void)[] = [];

function afterOthers(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(nextSlice);
  });
}

function nextSlice(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(nextSlice);
}

/** `items.map(work)` in slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const { isDue, rest } = pace();
  const results: Result[] = [];
  for (let index = 0; index < items.length; index++) {
    results.push(work(items[index]!, index));
    if (isDue()) await rest();
  }
  return results;
}

/** `Buffer.concat(chunks)` in slices: new memory of several megabytes can take 50 ms. */
export async function joinInSlices(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const [first] = chunks;
  if (chunks.length === 1 && Buffer.isBuffer(first)) return first;
  const whole = Buffer.allocUnsafe(chunks.reduce((sum, { length }) => sum + length, 0));
  const { isDue, rest } = pace();
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    if (isDue()) await rest();
  }
  return whole;
}

/** Runs a generator in slices and returns its result; it yields where it may pause. */
export async function resultInSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  const { isDue, rest } = pace();
  let step = work.next();
  while (!step.done) {
    if (isDue()) await rest();
    step = work.next();
  }
  return step.value;
}

/** `items.toSorted(compare)` in slices: runs are sorted by themselves, then merged in pairs. Equal items keep their order. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Promise<Item[]> {
  const { isDue, rest } = pace();
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += RUN_ITEMS) {
    runs.push(items.slice(start, start + RUN_ITEMS).sort(compare));
    if (isDue()) await rest();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) merged.push(await merge(runs[index]!, runs[index + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];

  async function merge(left: readonly Item[], right: readonly Item[]): Promise<Item[]> {
    const result: Item[] = [];
    let [l, r] = [0, 0];
    while (l < left.length || r < right.length) {
      const takesLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
      result.push(takesLeft ? left[l++]! : right[r++]!);
      if (result.length % RUN_ITEMS === 0 && isDue()) await rest();
    }
    return result;
  }
}

const RUN_ITEMS = 1_000;
