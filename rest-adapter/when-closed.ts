/** Releases what is held for a request when its connection or response ends. */
import type { FastifyReply } from 'fastify';

/**
 * Calls `end` once the response is closed: immediately if it is already closed, for example because the caller did not
 * wait.
 */
export function whenClosed({ raw }: FastifyReply, end: () => void): void {
  if (raw.closed) end();
  else raw.once('close', end);
}
