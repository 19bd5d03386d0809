/** Serves all endpoints of `/ext/v1` alike: JSON body in, response out, errors in the envelope. */
import type { FastifyInstance } from 'fastify';
import { JSON_DEPTH_MAX, parseExactJson } from '#kernel/json/exact-json.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { readJson, VALUES_MAX } from '#platform/request-body/read-json.ts';
import { KnownError } from '#kernel/errors.ts';
import { answerError } from '../answer-error.ts';
import { authenticate } from '../hooks/authenticate.ts';
import { correlate } from '../hooks/correlate.ts';
import { BODY_BYTES_MAX, type BodyHooks } from '../hooks/limit-bodies.ts';
import { limitRate } from '../hooks/limit-rate.ts';
import { neverStore } from '../hooks/never-store.ts';
import { requireScope } from '../hooks/require-scope.ts';
import type { SendAnswer } from '../send-answer.ts';
import type { ExtRoute } from './ext-route.ts';
import { EXT_ROUTES } from './ext-route-table.ts';

export interface ExtDependencies {
  readonly gateway: GatewayClient;
  readonly limiters: Readonly<Record<ExtRoute['spends'], RateLimiter>>;
  readonly bodies: BodyHooks;
  readonly send: SendAnswer;
}

const JSON_RULES = { valuesMax: VALUES_MAX, depthMax: JSON_DEPTH_MAX, parse: parseExactJson };

/** Registers a separate plugin, so that its parser applies only to these endpoints. */
export async function serveExt(
  app: FastifyInstance,
  { gateway, limiters, bodies, send }: ExtDependencies,
): Promise<void> {
  await app.register(
    async (ext) => {
      ext.addHook('onRequest', correlate);
      ext.addHook('onRequest', neverStore);
      ext.setErrorHandler(answerError);
      ext.setNotFoundHandler((request, reply) =>
        answerError(
          new KnownError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?', 1)[0]}`),
          request,
          reply,
        ),
      );
      parseBodies(ext, 'application/json', () => ({ bytesMax: BODY_BYTES_MAX }));
      for (const route of EXT_ROUTES) {
        ext.post(
          route.url,
          {
            // The order of `/v1`: key 401, scope 403, limits 429; then size and type.
            onRequest: [
              authenticate(gateway),
              requireScope(route.scope, route.orScope),
              limitRate(limiters[route.spends]),
              bodies.announced,
            ],
            preHandler: [bodies.received],
          },
          async (request, reply) => {
            const body = await readJson((request.body as Buffer | undefined) ?? Buffer.alloc(0), JSON_RULES);
            return send(request, reply, await route.answer(body, { gateway, principal: request.principal }));
          },
        );
      }
    },
    { prefix: '/ext/v1' },
  );
}
