/** The two ingestion endpoints: the only ones with a body, signed over its raw bytes. */
import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { verifySignature } from '#platform/verify-signature.ts';
import { authenticate } from './hooks/authenticate.ts';
import { BODY_BYTES_MAX, type BodyHooks } from './hooks/limit-bodies.ts';
import { limitRate } from './hooks/limit-rate.ts';
import { requireScope } from './hooks/require-scope.ts';
import { parseBatch, parseEvent } from './parse-ingestion-body.ts';
import { ingestBatch } from './routes/usage-events/batch.ts';
import { ingestSingle } from './routes/usage-events.ts';

const NO_BODY = Buffer.alloc(0);

/** Registers a separate plugin, so that the raw parser applies only to these endpoints. */
export async function serveIngestion(
  app: FastifyInstance,
  gateway: GatewayClient,
  limiter: RateLimiter,
  bodies: BodyHooks,
): Promise<void> {
  await app.register(async (plugin) => {
    parseBodies(plugin, 'application/json', () => ({ bytesMax: BODY_BYTES_MAX }));
    // The contract's order: key 401, scope 403, rate limits 429; then size and type; then the signature (decision 9,
    // D10).
    const options = {
      onRequest: [authenticate(gateway), requireScope('usage:write'), limitRate(limiter), bodies.announced],
      preHandler: [bodies.received, checkSignature],
    };
    plugin.post('/usage-events', options, async (request, reply) =>
      ingestSingle(request, reply, await parseEvent(rawBody(request)), gateway),
    );
    plugin.post('/usage-events/batch', options, async (request, reply) =>
      ingestBatch(request, reply, await parseBatch(rawBody(request)), gateway),
    );
  });
}

const checkSignature: preHandlerHookHandler = (request: FastifyRequest, reply: FastifyReply, done) => {
  const failure = verifySignature({
    timestamp: request.headers['x-timestamp'],
    signature: request.headers['x-signature'],
    rawBody: rawBody(request),
    apiKey: request.apiKey,
    nowSeconds: now().getTime() / 1000,
  });
  if (failure === null) return done();
  // The contract's flat body: the only error without the envelope.
  reply.code(401).send({ error: failure, code: 'UNAUTHORIZED' });
};

function rawBody(request: FastifyRequest): Buffer {
  return (request.body as Buffer | undefined) ?? NO_BODY;
}
