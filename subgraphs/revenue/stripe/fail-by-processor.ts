/** Tells a person what the processor said. */
import { fail } from '../../../schema/errors.ts';
import { ProcessorError } from './processor-error.ts';

/** Stops with `VALIDATION_ERROR`; `details.reason` is the kind of fault. Anything that is no fault of the processor is thrown on. */
export function failByProcessor(error: unknown): never {
  if (!(error instanceof ProcessorError)) throw error;
  return fail('VALIDATION_ERROR', error.message, {
    reason: error.kind,
    retryable: error.kind === 'limited' || error.kind === 'unavailable',
  });
}
