/**
 * Security headers of every page: no external resources, no framing, no caching, and no scripts except our own on
 * signed-in pages and on pages that need an authenticator or a one-time link.
 */
import type { FastifyReply, onRequestHookHandler } from 'fastify';

const NO_SCRIPT = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/**
 * `no-referrer` applies to everything except pages. Pages set `same-origin` themselves (`shell.ts`): their forms then
 * send their origin, and other sites learn no URL.
 */
export function securityHeaders(isSecure: boolean): onRequestHookHandler {
  const headers = {
    'Content-Security-Policy': NO_SCRIPT.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    ...(isSecure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
  return (_request, reply, done) => {
    reply.headers(headers);
    done();
  };
}

/** Allows our own scripts by URL, never inline, and requests to this origin. */
export function allowOwnScript(reply: FastifyReply): void {
  reply.header('Content-Security-Policy', [...NO_SCRIPT, "script-src 'self'", "connect-src 'self'"].join('; '));
}
