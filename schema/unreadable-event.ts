/**
 * An event that the edge could not read is in its batch as this, so that it is rejected with its reason and its
 * neighbours are processed (contract.md, "Batch rules" 1; decision 9, D65). Anyone who sends the key is rejected by it.
 */

/** Levels of objects and arrays in a field of an event, ignored ones included; `metadata` has a lower bound. */
export const EVENT_DEPTH_MAX = 64;

/** No field of the contract has a NUL in its name. */
const REASON = '\0unreadable';

export function unreadable(reason: string): object {
  return { [REASON]: reason };
}

/** `null` for an event that was read. */
export function unreadableReason(event: Readonly<Record<string, unknown>>): string | null {
  const reason = event[REASON];
  return typeof reason === 'string' ? reason : null;
}
