/** Shows on a page why the request before it was refused. */
import { ERROR_TABLE, type KnownError } from '#kernel/errors.ts';
import type { Page } from '../shell/shell.ts';

/** The message of an error, and the HTTP status of its code; empty without an error. */
export function refusalOf(
  error: Pick<KnownError, 'code' | 'message'> | null | undefined,
): Pick<Page, 'error' | 'status'> {
  return error ? { error: error.message, status: ERROR_TABLE[error.code].status } : {};
}
