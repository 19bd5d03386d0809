/** Long work in slices: between them the event loop serves whoever else waits. */
import { setImmediate as afterOthers } from 'node:timers/promises';
import { elapsedMilliseconds } from './clock.ts';

/** Long enough that the pauses cost little, short enough that nobody notices one slice. */
const SLICE_MILLISECONDS = 2;

export interface Pace {
  /** Whether the slice has lasted long enough. */
  isDue(): boolean;
  /** Ends the slice; the next one begins when everybody else has had a turn. */
  rest(): Promise<void>;
}

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

/** `items.map(work)` in slices. */
export async function mapInSlices<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Result): Promise<Result[]> {
  const { isDue, rest } = pace();
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    if (isDue()) await rest();
  }
  return results;
}
