/** The input and output counts to price: the event's own, unless they are zeros that the sender did not fill in. */
import type { Quantity } from '#kernel/money.ts';
import type { FoundShape } from './find-shape.ts';
import type { UsageTokens } from './reported-counts.ts';
import { countAt } from './value-at.ts';

interface SentCounts {
  readonly input: number;
  readonly output: number;
  /** True if a count is not the event's own. */
  readonly isReplaced: boolean;
  /** True if `input` is a total of which nothing else is known. */
  readonly isLoneTotal: boolean;
}

/**
 * A zero next to the provider's own count is replaced by that count. If both are zero and the event states a total, the
 * total is taken for the input. `loneTotal` is null if the event counts parts.
 */
export function sentCounts(usage: UsageTokens, found: FoundShape | null, loneTotal: number | null): SentCounts {
  const { inputTokens, outputTokens } = usage;
  const own = (names: readonly string[]) => (found === null ? 0 : (rawCount(found.fields, names) ?? 0));
  const input = inputTokens === 0 ? own(found?.shape.rawInput ?? []) : inputTokens;
  const output = outputTokens === 0 ? own(found?.shape.rawOutput ?? []) : outputTokens;
  if (input === 0 && output === 0 && loneTotal !== null && loneTotal > 0)
    return { input: loneTotal, output, isReplaced: true, isLoneTotal: true };
  return { input, output, isReplaced: input !== inputTokens || output !== outputTokens, isLoneTotal: false };
}

/** True if the provider's own counts, for a call without parts, differ from the event's. */
export function isContradicted(usage: UsageTokens, found: FoundShape | null, toolUse: Quantity): boolean {
  if (found === null) return false;
  const input = rawCount(found.fields, found.shape.rawInput);
  const output = rawCount(found.fields, found.shape.rawOutput);
  const isOther = input !== null && input !== usage.inputTokens && !toolUse.plus(input).eq(usage.inputTokens);
  return isOther || (output !== null && output !== usage.outputTokens);
}

/** The first of these counts; null if none is present. */
export function rawCount(fields: Readonly<Record<string, unknown>>, names: readonly string[]): number | null {
  for (const name of names) {
    const count = countAt(fields, [name]);
    if (count !== null) return count;
  }
  return null;
}
