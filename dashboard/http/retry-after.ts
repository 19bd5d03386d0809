/** Says in the header too when something limited or away may be tried again. */
import type { FastifyReply } from 'fastify';
import { type KnownError, retryAfterSeconds } from '../../schema/errors.ts';

export function sayRetryAfter(reply: FastifyReply, error: Pick<KnownError, 'code' | 'details'>): void {
  const wait = retryAfterSeconds(error);
  if (wait !== null) reply.header('Retry-After', wait);
}
