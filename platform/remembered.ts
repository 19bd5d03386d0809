/** Reuses results for some time within this process. */
import { elapsedMilliseconds } from './clock.ts';

export interface RememberedLimits {
  readonly seconds: number;
  /** The oldest results beyond this number are forgotten. */
  readonly resultsMax: number;
}

/**
 * Returns a function that loads the result for a key, or returns the one that was loaded within the last `seconds`. The
 * key contains everything that the result depends on, including the organization. Failures are not remembered.
 */
export function remembered<Result>({ seconds, resultsMax }: RememberedLimits) {
  const known = new Map<string, { readonly result: Result; readonly until: number }>();
  return async (key: string, load: () => Promise<Result>): Promise<Result> => {
    const found = known.get(key);
    if (found !== undefined && found.until > elapsedMilliseconds()) return found.result;
    const result = await load();
    known.delete(key);
    known.set(key, { result, until: elapsedMilliseconds() + seconds * 1_000 });
    for (const oldest of known.keys()) {
      if (known.size <= resultsMax) break;
      known.delete(oldest);
    }
    return result;
  };
}
