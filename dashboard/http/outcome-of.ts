/** Outcome of a form: known errors are shown on the form's own page, next to what was typed. */
import { KnownError } from '#kernel/errors.ts';

export type Outcome<Value> =
  | { readonly value: Value; readonly error: null }
  | { readonly value: null; readonly error: KnownError };

/** Errors that a person cannot fix on the form's page are thrown on to the error page. */
const ELSEWHERE: readonly string[] = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'];

/** `elsewhere`: codes to rethrow. */
export async function outcomeOf<Value>(call: Promise<Value>, elsewhere = ELSEWHERE): Promise<Outcome<Value>> {
  try {
    return { value: await call, error: null };
  } catch (error) {
    if (error instanceof KnownError && !elsewhere.includes(error.code)) return { value: null, error };
    throw error;
  }
}
