/** Counts of input and output that were sent but are not whole numbers, 0 or more. */
import { countAt, valueAt } from './value-at.ts';

type Path = readonly string[];

/** The values as sent; undefined for a side that has a count, or none at all. */
export interface ImpossibleSides {
  readonly input: unknown;
  readonly output: unknown;
}

/** Null if both sides are possible. */
export function impossibleSides(
  holder: unknown,
  paths: Readonly<Record<keyof ImpossibleSides, readonly Path[]>>,
): ImpossibleSides | null {
  const [input, output] = [impossibleAt(holder, paths.input), impossibleAt(holder, paths.output)];
  return input === undefined && output === undefined ? null : { input, output };
}

function impossibleAt(holder: unknown, paths: readonly Path[]): unknown {
  let impossible: unknown;
  for (const path of paths) {
    if (countAt(holder, path) !== null) return undefined;
    const value = valueAt(holder, path);
    if (typeof value === 'number' || (typeof value === 'string' && LOOKS_LIKE_A_NUMBER.test(value)))
      impossible ??= value;
  }
  return impossible;
}

const LOOKS_LIKE_A_NUMBER = /^\s*[-+]?\d[\d.,_]*(?:e[-+]?\d+)?\s*$/i;
