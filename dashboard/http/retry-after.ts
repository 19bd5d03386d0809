/** Says in the header too when a limited act may be tried again. */
import type { FastifyReply } from 'fastify';
import type { KnownError } from '../../schema/errors.ts';

export function sayRetryAfter(reply: FastifyReply, { details }: Pick<KnownError, 'details'>): void {
  const wait = details['retryAfterSeconds'];
  if (typeof wait === 'number') reply.header('Retry-After', wait);
}
