/** Serves every endpoint of `/ext/v1` the same way: a JSON body in, its answer out, errors in the envelope. */
import type { FastifyInstance } from 'fastify';
import { JSON_DEPTH_MAX, parseExactJson } from '../../kernel/exact-json.ts';
import { scanJson } from '../../kernel/scan-json.ts';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limit.ts';
import { fail, KnownError } from '../../schema/errors.ts';
import { answerError } from '../answer-error.ts';
import { authenticate } from '../hooks/authenticate.ts';
import { correlate } from '../hooks/correlate.ts';
import { BODY_BYTES_MAX, type BodyHooks } from '../hooks/limit-bodies.ts';
import { limitRate } from '../hooks/limit-rate.ts';
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

/** Registers a plugin of its own, so that its parser is no one else's. */
export async function serveExt(
  app: FastifyInstance,
  { gateway, limiters, bodies, send }: ExtDependencies,
): Promise<void> {
  await app.register(
    async (ext) => {
      ext.addHook('onRequest', correlate);
      ext.setErrorHandler(answerError);
      ext.setNotFoundHandler((request, reply) =>
        answerError(
          new KnownError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?', 1)[0]}`),
          request,
          reply,
        ),
      );
      ext.removeAllContentTypeParsers();
      ext.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
      for (const route of EXT_ROUTES) {
        ext.post(
          route.url,
          {
            bodyLimit: BODY_BYTES_MAX,
            // In the order of `/v1`: key 401, scope 403, limits 429; then size and type.
            onRequest: [
              authenticate(gateway),
              requireScope(route.scope),
              limitRate(limiters[route.spends]),
              bodies.announced,
            ],
            preHandler: [bodies.received],
          },
          async (request, reply) => {
            const body = parseBody(request.body as Buffer | undefined);
            return send(request, reply, await route.answer(body, { gateway, principal: request.principal }));
          },
        );
      }
    },
    { prefix: '/ext/v1' },
  );
}

/** Fails with `VALIDATION_ERROR`. What is nested too deeply to be read cheaply is not read. */
function parseBody(body: Buffer | undefined): unknown {
  const text = body?.toString('utf8') ?? '';
  if (scanJson(text).depth > JSON_DEPTH_MAX)
    fail('VALIDATION_ERROR', `The request body must not be nested deeper than ${JSON_DEPTH_MAX} levels`);
  try {
    return parseExactJson(text);
  } catch (error) {
    return fail('VALIDATION_ERROR', `The request body is not valid JSON: ${(error as Error).message}`);
  }
}
