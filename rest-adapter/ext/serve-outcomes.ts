/** `POST /ext/v1/outcomes`: completed tasks and failed attempts, signed as on `/v1`, with a result for each. */
import type { FastifyInstance } from 'fastify';
import { parseExactJson } from '#kernel/json/exact-json.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { readJsonItems, VALUES_MAX } from '#platform/request-body/read-json.ts';
import { answerError } from '../answer-error.ts';
import { bodyOf, type EventLimits, openEventEndpoint } from '../hooks/event-endpoint.ts';
import { correlate } from '../hooks/correlate.ts';
import type { BodyHooks } from '../hooks/limit-bodies.ts';
import { neverStore } from '../hooks/never-store.ts';
import { OUTCOMES_MAX, sendOutcomes } from './send-outcomes.ts';

const ITEMS = { itemsMax: OUTCOMES_MAX, valuesMax: VALUES_MAX, depthMax: 16, parse: parseExactJson };

export async function serveOutcomes(
  app: FastifyInstance,
  gateway: GatewayClient,
  limits: EventLimits,
  bodies: BodyHooks,
): Promise<void> {
  await app.register(
    async (plugin) => {
      plugin.addHook('onRequest', correlate);
      plugin.addHook('onRequest', neverStore);
      plugin.setErrorHandler(answerError);
      const contentTypes = ['application/json', 'application/x-ndjson', 'application/jsonl'];
      const endpoint = openEventEndpoint(plugin, { gateway, limits, bodies, contentTypes });
      plugin.post('/outcomes', endpoint.options, async (request, reply) => {
        const { answer } = await endpoint.counted(request, reply, async ({ reserve, newEventsMax }) => {
          const outcomes = await readJsonItems(bodyOf(request), { ...ITEMS, reserve });
          const { accepted, failed, results } = await sendOutcomes(
            gateway,
            request.principal,
            outcomes,
            newEventsMax(),
          );
          const answered = results?.map((result) => ({
            ...result,
            status: result.status.toLowerCase(),
            effect: result.effect?.toLowerCase() ?? null,
          }));
          const known = results?.filter(({ effect }) => effect === 'NONE').length ?? 0;
          return { answer: { accepted, failed, results: answered }, events: outcomes.length - known };
        });
        return reply.code(202).send(answer);
      });
    },
    { prefix: '/ext/v1' },
  );
}
