/** The `/v1` contract over HTTP, and `/ext/v1` next to it: thin, it translates and knows no rule of the domain. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { latestVisits } from '../kernel/latest-visits.ts';
import { elapsedMilliseconds } from '../platform/clock.ts';
import type { GatewayClient } from '../platform/gateway-client.ts';
import type { RateLimiter } from '../platform/rate-limits/rate-limit.ts';
import { parseBodies } from '../platform/request-body/parse-bodies.ts';
import { KnownError, fail } from '../schema/errors.ts';
import { isSameOrigin } from '../platform/same-origin.ts';
import { sessionTokenOf } from '../schema/session-cookie.ts';
import { answerError } from './answer-error.ts';
import { serveExt } from './ext/serve-ext.ts';
import { correlate } from './hooks/correlate.ts';
import { EVENT_BODY_LIMITS } from './hooks/event-endpoint.ts';
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
import { serveEventDoors } from './ext/serve-event-doors.ts';
import { serveTelemetry } from './telemetry/serve-telemetry.ts';
import { rotateApiKey } from './routes/api-keys/id/rotate.ts';

const ROTATION_BODY_BYTES_MAX = 1024;

/**
 * Paths that the contract only names: no shape is invented for them here, GraphQL serves what they are for.
 *
 * Path below `/v1` → the GraphQL field that answers instead; `null` where nothing is built because nothing is shown.
 */
const NAMED_ONLY_PATHS: Readonly<Record<string, string | null>> = {
  '/attribution-data/by-dimension': 'Window.costsByAttribution',
  '/attribution-data/by-outcome': null,
  '/attribution-data/sessions/:sessionId/tree': 'Query.session',
  '/dimension-data/definitions': 'Query.dimensions',
  '/end-user-costs/:externalId/summary': 'EndUser.costSummary',
  '/end-user-costs/:externalId/trend': 'EndUser.trend',
  '/cost-data/by-end-user': 'Window.costsByEndUser',
  '/permissions-manifest': 'Query.permissionsManifest',
};

export interface RestAdapterOptions {
  gateway: GatewayClient;
  readLimiter: RateLimiter;
  ingestLimiter: RateLimiter;
  /** Counts events, where one request may hold any number of them. */
  eventLimiter: RateLimiter;
  apiOrigin: string;
  appUrl: string;
  mcpUrl: string;
}

const ANSWER_LIMITS: AnswerLimits = { bytesMax: 64 * 1024 * 1024, takenWithinMilliseconds: 120_000 };

export async function restAdapter(
  app: FastifyInstance,
  { gateway, readLimiter, ingestLimiter, eventLimiter, apiOrigin, appUrl, mcpUrl }: RestAdapterOptions,
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
  await serveTelemetry(app, gateway, eventLimiter, eventBodies);
  await serveEventDoors(app, gateway, eventLimiter, eventBodies);
  const send = answerSender(ANSWER_LIMITS);
  await serveExt(app, { gateway, limiters: { read: readLimiter, ingestion: ingestLimiter }, bodies, send });
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

function namedOnlyMessage(field: string | null): string {
  return field === null
    ? 'The contract names this path without showing its parameters or its answer, so it is not served.'
    : `The contract names this path without showing its answer, so REST does not serve it. In GraphQL the field ${field} does.`;
}

/**
 * The endpoint that a signed-in person's browser calls: a session's cookie opens it, an API key never does.
 *
 * `appUrl` and `apiOrigin` are where people reach our pages.
 */
async function serveRotation(
  app: FastifyInstance,
  gateway: GatewayClient,
  { appUrl, apiOrigin }: { appUrl: string; apiOrigin: string },
): Promise<void> {
  const origins = [appUrl, apiOrigin].map((url) => new URL(url).origin);
  const hasSecureCookies = appUrl.startsWith('https://');
  await app.register(async (plugin) => {
    // A body says nothing here, whatever its type.
    parseBodies(plugin, '*', () => ({ bytesMax: ROTATION_BODY_BYTES_MAX }));
    plugin.post<{ Params: { id: string } }>('/api-keys/:id/rotate', async (request, reply) => {
      const { headers } = request;
      const token = sessionTokenOf(headers.cookie, hasSecureCookies);
      const principal =
        token === null ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
      if (principal?.kind !== 'session')
        fail('UNAUTHORIZED', 'Sign in to the dashboard: an API key cannot rotate keys');
      // The cookie alone does not tell whose page sent it: the browser's word for it, or a header that no foreign page can send.
      // There is no form token here, so an opaque origin is never one of our own.
      const isProven =
        headers.origin !== 'null' && (headers.origin !== undefined || headers['x-requested-with'] !== undefined);
      if (!isProven || !isSameOrigin(headers, origins))
        fail('FORBIDDEN', 'Send this from a page of ours, or with the header X-Requested-With');
      return reply.header('Cache-Control', 'no-store').send(await rotateApiKey(gateway, request.params.id, principal));
    });
  });
}
