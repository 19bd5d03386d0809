/** What every page says to the browser: nothing from elsewhere, no frame around it, nothing kept, no script at all. */
import type { onRequestHookHandler } from 'fastify';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `no-referrer` is for whatever is no page. A page says `same-origin` itself (`shell.ts`): its forms then send their origin,
 * and no other site learns an address.
 */
export function securityHeaders(isSecure: boolean): onRequestHookHandler {
  const headers = {
    'Content-Security-Policy': POLICY,
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
