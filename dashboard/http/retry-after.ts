/** Sets Retry-After when a limit is reached or a service is unavailable. */
import type { FastifyReply } from 'fastify';
import { type KnownError, retryAfterSeconds } from '#kernel/errors.ts';

export function sayRetryAfter(reply: FastifyReply, error: Pick<KnownError, 'code' | 'details'>): void {
  const wait = retryAfterSeconds(error);
  if (wait !== null) reply.header('Retry-After', wait);
}
