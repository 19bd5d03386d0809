/** Stops a caller that tried too often, and says for how long. */
import { fail } from '../../../schema/errors.ts';

export function failForNow(waitSeconds: number): never {
  return fail('RATE_LIMIT_EXCEEDED', `Too many attempts. Try again in ${waitSeconds} seconds`, {
    retryAfterSeconds: waitSeconds,
  });
}
