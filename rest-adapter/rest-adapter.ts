/** The `/v1` contract over HTTP, and `/ext/v1` next to it: a thin translation layer without domain rules. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { latestVisits } from '#kernel/latest-visits.ts';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { KnownError, fail } from '#kernel/errors.ts';
import { isSameOrigin } from '#platform/same-origin.ts';
import { sessionTokenOf } from '#schema/session-cookie.ts';
import { answerError } from './answer-error.ts';
import { serveBills } from './ext/serve-bills.ts';
import { serveOutcomes } from './ext/serve-outcomes.ts';
import { serveExports } from './ext/serve-exports.ts';
import { serveExt } from './ext/serve-ext.ts';
import { correlate } from './hooks/correlate.ts';
import { EVENT_BODY_LIMITS, type EventLimits } from './hooks/event-endpoint.ts';
import { BODY_LIMITS, limitBodies } from './hooks/limit-bodies.ts';
import { neverStore } from './hooks/never-store.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { serveMetadata } from './oauth/serve-metadata.ts';
import { serveOauth } from './oauth/serve-oauth.ts';
import { serveOpenApi } from './openapi/serve-openapi.ts';
import { serveSdk } from './sdk/serve-sdk.ts';
import { ROUTES } from './route-table.ts';
import { type AnswerLimits, answerSender } from './send-answer.ts';
import { serveIngestion } from './serve-ingestion.ts';
import { serveRead } from './serve-read.ts';
import { serveEventEndpoints } from './ext/serve-event-endpoints.ts';
import { serveTelemetry } from './telemetry/serve-telemetry.ts';
import { rotateApiKey } from './routes/api-keys/id/rotate.ts';

const ROTATION_BODY_BYTES_MAX = 1024;

/**
 * Paths that the contract names without showing a shape, so they are not implemented. GraphQL offers their data.
 *
 * Path below `/v1` → the GraphQL field to use instead.
 */
const NAMED_ONLY_PATHS: Readonly<Record<string, string>> = {
  '/attribution-data/by-dimension': 'Window.costsByAttribution',
  '/attribution-data/by-outcome': 'Window.outcomes',
  '/attribution-data/sessions/:sessionId/tree': 'Query.session',
  '/dimension-data/definitions': 'Query.dimensions',
  '/end-user-costs/:externalId/summary': 'EndUser.costSummary',
  '/end-user-costs/:externalId/trend': 'EndUser.trend',
  '/cost-data/by-end-user': 'Window.costs',
  '/permissions-manifest': 'Query.permissionsManifest',
};

export interface RestAdapterOptions {
  gateway: GatewayClient;
  readLimiter: RateLimiter;
  ingestLimiter: RateLimiter;
  decisionLimiter: RateLimiter;
  /** Limits of endpoints whose requests may contain any number of events. */
  eventLimits: EventLimits;
  apiOrigin: string;
  appUrl: string;
  mcpUrl: string;
}

const ANSWER_LIMITS: AnswerLimits = { bytesMax: 64 * 1024 * 1024, takenWithinMilliseconds: 120_000 };

export async function restAdapter(
  app: FastifyInstance,
  { gateway, readLimiter, ingestLimiter, decisionLimiter, eventLimits, apiOrigin, appUrl, mcpUrl }: RestAdapterOptions,
): Promise<void> {
  const visits = latestVisits();
  const bodies = limitBodies(BODY_LIMITS, visits);
  app.addHook('onResponse', (request, _reply, done) => {
    const organizationId = (request as Partial<FastifyRequest>).principal?.organizationId;
    if (organizationId) visits.record(organizationId, elapsedMilliseconds());
    done();
  });
  serveOpenApi(app, apiOrigin);
  serveSdk(app);
  serveMetadata(app, apiOrigin, appUrl);
  await serveMcp(app, { gateway, readLimiter, apiOrigin, appUrl, mcpUrl });
  const eventBodies = limitBodies(EVENT_BODY_LIMITS, visits);
  await serveTelemetry(app, gateway, eventLimits, eventBodies);
  await serveEventEndpoints(app, gateway, eventLimits, eventBodies);
  await serveOutcomes(app, gateway, eventLimits, eventBodies);
  await serveExports(app, gateway, readLimiter);
  const send = answerSender(ANSWER_LIMITS);
  await serveBills(app, { gateway, limiter: ingestLimiter, send });
  const limiters = { read: readLimiter, ingestion: ingestLimiter, decisions: decisionLimiter };
  await serveExt(app, { gateway, limiters, bodies, send });
  await app.register(
    async (v1) => {
      v1.addHook('onRequest', correlate);
      v1.addHook('onRequest', neverStore);
      v1.setErrorHandler(answerError);
      v1.setNotFoundHandler((request, reply) =>
        answerError(
          new KnownError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?', 1)[0]}`),
          request,
          reply,
        ),
      );
      for (const route of ROUTES) serveRead(v1, route, gateway, readLimiter, send);
      for (const [path, field] of Object.entries(NAMED_ONLY_PATHS)) {
        v1.get(path, (request, reply) =>
          answerError(new KnownError('NOT_FOUND', namedOnlyMessage(field)), request, reply),
        );
      }
      await serveIngestion(v1, gateway, ingestLimiter, bodies);
      await serveOauth(v1, gateway);
      await serveRotation(v1, gateway, { appUrl, apiOrigin });
    },
    { prefix: '/v1' },
  );
}

function namedOnlyMessage(field: string): string {
  return `The contract names this path without showing its answer, so REST does not serve it. In GraphQL the field ${field} does.`;
}

/**
 * The only endpoint called from a signed-in person's browser: it accepts a session cookie, never an API key.
 *
 * `appUrl` and `apiOrigin`: public URLs of our pages.
 */
async function serveRotation(
  app: FastifyInstance,
  gateway: GatewayClient,
  { appUrl, apiOrigin }: { appUrl: string; apiOrigin: string },
): Promise<void> {
  const origins = [appUrl, apiOrigin].map((url) => new URL(url).origin);
  const hasSecureCookies = appUrl.startsWith('https://');
  await app.register(async (plugin) => {
    // The body is ignored, whatever its type.
    parseBodies(plugin, '*', () => ({ bytesMax: ROTATION_BODY_BYTES_MAX }));
    plugin.post<{ Params: { id: string } }>('/api-keys/:id/rotate', async (request, reply) => {
      const { headers } = request;
      const token = sessionTokenOf(headers.cookie, hasSecureCookies);
      const principal =
        token === null ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
      if (principal?.kind !== 'session')
        fail('UNAUTHORIZED', 'Sign in to the dashboard: an API key cannot rotate keys');
      // The cookie does not prove which page sent the request. Proof is the browser's `Origin` header, or a header that
      // foreign pages cannot send. Without a form token, an opaque origin is never one of ours.
      const isProven =
        headers.origin !== 'null' && (headers.origin !== undefined || headers['x-requested-with'] !== undefined);
      if (!isProven || !isSameOrigin(headers, origins))
        fail('FORBIDDEN', 'Send this from a page of ours, or with the header X-Requested-With');
      return reply.header('Cache-Control', 'no-store').send(await rotateApiKey(gateway, request.params.id, principal));
    });
  });
}
