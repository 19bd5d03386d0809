/** What a form led to: forms say a known error on their own page, next to what was typed. */
import { KnownError } from '../../schema/errors.ts';

export type Outcome<Value> =
  | { readonly value: Value; readonly error: null }
  | { readonly value: null; readonly error: KnownError };

/** Codes that a person can do nothing about on the form's page go on to the error page. */
const ELSEWHERE: readonly string[] = ['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'];

/** `elsewhere`: the codes that are thrown on. */
export async function outcomeOf<Value>(call: Promise<Value>, elsewhere = ELSEWHERE): Promise<Outcome<Value>> {
  try {
    return { value: await call, error: null };
  } catch (error) {
    if (error instanceof KnownError && !elsewhere.includes(error.code)) return { value: null, error };
    throw error;
  }
}
