/** Distinguishes errors in data from other errors. */

/**
 * True if smaller parts of the data may succeed: SQLSTATE classes for invalid data, or an error in a rule. Lost
 * connections, deadlocks and missing tables are not data errors.
 */
export function isContentError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') return /^(21|22|23|54)...$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
