/**
 * Adds an `ETag` to GET responses (RFC 9110, section 8.8.3), so that a UI that polls an unchanged figure gets only a
 * few bytes.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `body`: of a successful response. It is computed for every request, and cached only by the caller's own browser. */
export function sendIfChanged(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  reply.headers({
    ETag: tag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Accept, Authorization, Cookie, X-Organization-ID',
  });
  return isKnown(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(body);
}

/** Weak comparison, as required for `If-None-Match`: compressing proxies turn tags into weak ones. */
function isKnown(sent: string | undefined, tag: string): boolean {
  return (sent ?? '').split(',').some((text) => ['*', tag].includes(text.trim().replace(/^W\//, '')));
}
