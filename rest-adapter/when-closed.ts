/** Ends what is held for a request together with its connection, or its answer. */
import type { FastifyReply } from 'fastify';

/** Calls `end` once, when nothing more will leave: at once where that was so before anyone could listen, as of a caller who did not wait. */
export function whenClosed({ raw }: FastifyReply, end: () => void): void {
  if (raw.closed) end();
  else raw.once('close', end);
}
