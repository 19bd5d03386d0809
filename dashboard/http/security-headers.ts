/** What every page says to the browser: nothing from elsewhere, no frame around it, nothing kept, and no script but on one kind of page. */
import type { FastifyReply, onRequestHookHandler } from 'fastify';

const NO_SCRIPT = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/**
 * `no-referrer` is for whatever is no page. A page says `same-origin` itself (`shell.ts`): its forms then send their origin,
 * and no other site learns an address.
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

/** For a page that speaks with an authenticator, which no form can: script of our own, by address, and never inline. */
export function allowOwnScript(reply: FastifyReply): void {
  reply.header('Content-Security-Policy', [...NO_SCRIPT, "script-src 'self'"].join('; '));
}
