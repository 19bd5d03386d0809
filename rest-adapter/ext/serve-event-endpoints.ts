/**
 * `POST /ext/v1/provider-responses` and `/ext/v1/litellm`: usage in third-party formats, for senders without a client
 * library (decision 42).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { readJsonItems, VALUES_MAX } from '#platform/request-body/read-json.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { reduceLitellm } from '#usage/responses/reduce-litellm.ts';
import { reduceResponse } from '#usage/responses/reduce-response.ts';
import { unreadable } from '#schema/unreadable-event.ts';
import { answerError } from '../answer-error.ts';
import { bodyOf, type EventLimits, openEventEndpoint } from '../hooks/event-endpoint.ts';
import { correlate } from '../hooks/correlate.ts';
import type { BodyHooks } from '../hooks/limit-bodies.ts';
import { readCachedTokens } from '../hooks/read-cached-tokens.ts';
import { neverStore } from '../hooks/never-store.ts';

const ITEMS = { itemsMax: 1_000, valuesMax: VALUES_MAX, depthMax: 100, parse: JSON.parse as (text: string) => unknown };

interface IngestResult {
  /** Includes duplicates. */
  readonly accepted: number;
  readonly duplicates: number;
  readonly failed: number;
}

const RESPONSES = internalGraphql(
  `mutation IngestProviderResponses($items: JSON!, $cachedTokens: CachedTokens, $newEventsMax: Int!) {
    ingestProviderResponses(items: $items, cachedTokens: $cachedTokens, newEventsMax: $newEventsMax)
  }`,
);
const LITELLM = internalGraphql(
  `mutation IngestLitellm($items: JSON!, $cachedTokens: CachedTokens, $newEventsMax: Int!) {
    ingestLitellm(items: $items, cachedTokens: $cachedTokens, newEventsMax: $newEventsMax)
  }`,
);

interface Sent {
  readonly items: unknown[];
  readonly cachedTokens: ReturnType<typeof readCachedTokens>;
  readonly newEventsMax: number;
}

export async function serveEventEndpoints(
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
      const endpoint = openEventEndpoint(plugin, {
        gateway,
        limits,
        bodies,
        contentTypes: ['application/json', 'application/x-ndjson', 'application/jsonl'],
      });
      const take =
        (ingest: (sent: Sent, principal: Principal) => Promise<unknown>, reduce: (item: unknown) => unknown) =>
        async (request: FastifyRequest, reply: FastifyReply) => {
          const cachedTokens = readCachedTokens(request);
          const { result } = await endpoint.counted(request, reply, async ({ reserve, newEventsMax }) => {
            const items = await readJsonItems(bodyOf(request), { ...ITEMS, reserve });
            const reduced = items.map((item) => reducedOrUnreadable(reduce, item, request));
            const result = (await ingest(
              { items: reduced, cachedTokens, newEventsMax: newEventsMax() },
              request.principal,
            )) as IngestResult;
            return { result, events: result.accepted - result.duplicates + result.failed };
          });
          return reply.code(202).send(result);
        };
      plugin.post(
        '/provider-responses',
        endpoint.options,
        take(
          async (sent, principal) =>
            (await askGateway(gateway, RESPONSES, { ...sent }, principal)).ingestProviderResponses,
          (item) => reduceResponse(item),
        ),
      );
      plugin.post(
        '/litellm',
        endpoint.options,
        take(
          async (sent, principal) => (await askGateway(gateway, LITELLM, { ...sent }, principal)).ingestLitellm,
          reduceLitellm,
        ),
      );
    },
    { prefix: '/ext/v1' },
  );
}

/** An exception caused by the content of one item rejects only that item. */
function reducedOrUnreadable(reduce: (item: unknown) => unknown, item: unknown, { log }: FastifyRequest): unknown {
  try {
    return reduce(item);
  } catch (error) {
    log.error({ err: error }, 'A record could not be read and was rejected');
    return unreadable('This record could not be read');
  }
}
