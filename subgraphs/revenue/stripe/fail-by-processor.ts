/** Reports a processor error to the client. */
import { fail } from '#kernel/errors.ts';
import { ProcessorError } from './processor-error.ts';

/** Fails with `VALIDATION_ERROR`; `details.reason` is the kind of error. Other errors are rethrown. */
export function failByProcessor(error: unknown): never {
  if (!(error instanceof ProcessorError)) throw error;
  return fail('VALIDATION_ERROR', error.message, {
    reason: error.kind,
    retryable: error.kind === 'limited' || error.kind === 'unavailable',
  });
}
