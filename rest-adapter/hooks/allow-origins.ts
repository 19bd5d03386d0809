/**
 * Lets pages of the operator's configured origins read `/graphql`, `/v1` and `/ext/v1` (CORS). Cookies are never
 * accepted there.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY_SECONDS } from '#kernel/time/duration.ts';
import { EXT_ROUTES } from '../ext/ext-route-table.ts';

const REQUEST_HEADERS = [
  'Accept',
  'Apollo-Require-Preflight',
  'Authorization',
  'Content-Type',
  'If-None-Match',
  'X-Correlation-ID',
  'X-Organization-Id',
];
const RESPONSE_HEADERS = [
  'ETag',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Correlation-ID',
];

const EXT_READS = new Set(EXT_ROUTES.filter(({ spends }) => spends === 'read').map(({ url }) => `/ext/v1${url}`));

/** Ingestion stays closed: it needs a key that no page may hold. */
function methodsOf(path: string): readonly string[] {
  if (path === '/graphql') return ['GET', 'POST'];
  if (path === '/graphql/schema.graphql' || path.startsWith('/v1/')) return ['GET'];
  return EXT_READS.has(path) ? ['POST'] : [];
}

/** `origins` must match exactly. Without any, nothing changes. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    const methods = methodsOf(pathOf(request));
    if (origin === undefined || !origins.includes(origin) || !methods.includes(methodOf(request))) return done();
    reply.headers({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': RESPONSE_HEADERS.join(', '),
    });
    if (request.method !== 'OPTIONS') return done();
    return reply
      .code(204)
      .headers({
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': REQUEST_HEADERS.join(', '),
        'Access-Control-Max-Age': String(DAY_SECONDS),
      })
      .send();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (methodsOf(pathOf(request)).length > 0) reply.header('Vary', withOrigin(reply.getHeader('Vary')));
    done(null, payload);
  });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? '';
}

function withOrigin(vary: number | string | string[] | undefined): string {
  return [vary ?? [], 'Origin'].flat().join(', ');
}

/** For a preflight, the method of the announced request. */
function methodOf({ method, headers }: FastifyRequest): string {
  return method === 'OPTIONS' ? (headers['access-control-request-method'] ?? '') : method;
}
