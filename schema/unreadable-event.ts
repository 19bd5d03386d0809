/**
 * Placeholder for an event that the edge could not read, so that it is rejected with its reason and the others are
 * processed (contract.md, "Batch rules" 1; decision 9, D65). An event that sends this key itself is rejected too.
 */

/** Maximum nesting in a field of an event, including ignored fields; `metadata` has a lower limit. */
export const EVENT_DEPTH_MAX = 64;

/** Contains NUL, which no field of the contract has in its name. */
const REASON = '\0unreadable';

export function unreadable(reason: string): object {
  return { [REASON]: reason };
}

/** `null` for an event that could be read. */
export function unreadableReason(event: Readonly<Record<string, unknown>>): string | null {
  const reason = event[REASON];
  return typeof reason === 'string' ? reason : null;
}
