/** Answers of GET carry an `ETag` (RFC 9110, section 8.8.3): a UI that polls a figure is told in a few bytes that it stands. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `body`: of a successful answer. It is asked for and computed each time, and kept by the caller's own browser alone. */
export function sendIfChanged(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  reply.headers({
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Authorization, Cookie, X-Organization-ID',
  });
  return isKnown(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(body);
}

/** Compared as weak ones, as `If-None-Match` is: a proxy that compresses marks them so. */
function isKnown(sent: string | undefined, tag: string): boolean {
  return (sent ?? '').split(',').some((text) => ['*', tag].includes(text.trim().replace(/^W\//, '')));
}
