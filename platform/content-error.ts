/** Tells what is wrong with data from what is wrong with anything else. */

/**
 * Whether less data may succeed: SQLSTATE classes of data that does not fit, or an error in a rule. Lost connections, deadlocks,
 * a missing table are no data's fault.
 */
export function isContentError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return /^(21|22|23|54)...$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
