/** The `/v1` contract over HTTP: thin, it translates and knows no rule of the domain. */
import type { FastifyInstance } from 'fastify';
import type { GatewayClient } from '../platform/gateway-client.ts';
import type { RateLimiter } from '../platform/rate-limit.ts';
import { KnownError } from '../schema/errors.ts';
import { answerError } from './answer-error.ts';
import { correlate } from './hooks/correlate.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { NAMED_ONLY_PATHS, namedOnlyMessage } from './named-only-paths.ts';
import { serveMetadata } from './oauth/serve-metadata.ts';
import { serveOauth } from './oauth/serve-oauth.ts';
import { serveOpenApi } from './openapi/serve-openapi.ts';
import { ROUTES } from './route-table.ts';
import { type AnswerLimits, answerSender } from './send-answer.ts';
import { serveIngestion } from './serve-ingestion.ts';
import { serveRead } from './serve-read.ts';
import { serveRotation } from './serve-rotation.ts';

export interface RestAdapterOptions {
  gateway: GatewayClient;
  readLimiter: RateLimiter;
  ingestLimiter: RateLimiter;
  apiOrigin: string;
  appUrl: string;
  mcpUrl: string;
}

const ANSWER_LIMITS: AnswerLimits = { bytesMax: 64 * 1024 * 1024, takenWithinMilliseconds: 120_000 };

export async function restAdapter(app: FastifyInstance, { gateway, readLimiter, ingestLimiter, apiOrigin, appUrl, mcpUrl }: RestAdapterOptions): Promise<void> {
  serveOpenApi(app, apiOrigin);
  serveMetadata(app, apiOrigin, appUrl);
  await serveMcp(app, { gateway, readLimiter, apiOrigin, appUrl, mcpUrl });
  await app.register(async (v1) => {
    v1.addHook('onRequest', correlate);
    v1.setErrorHandler(answerError);
    v1.setNotFoundHandler((request, reply) => answerError(new KnownError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?', 1)[0]}`), request, reply));
    const send = answerSender(ANSWER_LIMITS);
    for (const route of ROUTES) serveRead(v1, route, gateway, readLimiter, send);
    for (const [path, field] of Object.entries(NAMED_ONLY_PATHS)) {
      v1.get(path, (request, reply) => answerError(new KnownError('NOT_FOUND', namedOnlyMessage(field)), request, reply));
    }
    await serveIngestion(v1, gateway, ingestLimiter);
    await serveOauth(v1, gateway);
    await serveRotation(v1, gateway, { appUrl, apiOrigin });
  }, { prefix: '/v1' });
}
