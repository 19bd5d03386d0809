/** `POST /ext/v1/provider-responses` and `/ext/v1/litellm`: usage as others have it, for those who have no library (decision 42). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scanJson } from '../../kernel/scan-json.ts';
import { askGateway } from '../../platform/ask-gateway.ts';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { Principal } from '../../platform/principal.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limit.ts';
import { fail } from '../../schema/errors.ts';
import { graphql } from '../../schema/graphql.ts';
import { answerError } from '../answer-error.ts';
import { bodyOf, openEventDoor } from '../hooks/event-door.ts';
import { correlate } from '../hooks/correlate.ts';
import type { BodyHooks } from '../hooks/limit-bodies.ts';
import { reduceResponse } from './reduce-response.ts';

const ITEMS_MAX = 1_000;
const DEPTH_MAX = 100;

const RESPONSES = graphql('mutation IngestProviderResponses($items: JSON!) { ingestProviderResponses(items: $items) }');
const LITELLM = graphql('mutation IngestLitellm($items: JSON!) { ingestLitellm(items: $items) }');

const LITELLM_FIELDS = new Set(
  (
    'id call_type cache_hit status custom_llm_provider response_cost prompt_tokens completion_tokens total_tokens startTime ' +
    'model model_group end_user trace_id session_id'
  ).split(' '),
);
const LITELLM_METADATA = new Set(
  'usage_object user_api_key_end_user_id user_api_key_user_id user_api_key_team_id user_api_key_team_alias'.split(' '),
);

export async function serveEventDoors(
  app: FastifyInstance,
  gateway: GatewayClient,
  eventLimiter: RateLimiter,
  bodies: BodyHooks,
): Promise<void> {
  await app.register(
    async (plugin) => {
      plugin.addHook('onRequest', correlate);
      plugin.setErrorHandler(answerError);
      const door = openEventDoor(plugin, {
        gateway,
        eventLimiter,
        bodies,
        contentTypes: ['application/json', 'application/x-ndjson', 'application/jsonl'],
      });
      const take =
        (ingest: (items: unknown[], principal: Principal) => Promise<unknown>, reduce: (item: unknown) => unknown) =>
        async (request: FastifyRequest, reply: FastifyReply) => {
          const items = parseItems(bodyOf(request).toString('utf8')).map(reduce);
          const result = await ingest(items, request.principal);
          await door.spend(request, reply, items.length);
          return reply.code(202).send(result);
        };
      plugin.post(
        '/provider-responses',
        door.options,
        take(
          async (items, principal) =>
            (await askGateway(gateway, RESPONSES, { items }, principal)).ingestProviderResponses,
          (item) => reduceResponse(item),
        ),
      );
      plugin.post(
        '/litellm',
        door.options,
        take(
          async (items, principal) => (await askGateway(gateway, LITELLM, { items }, principal)).ingestLitellm,
          reduceLitellm,
        ),
      );
    },
    { prefix: '/ext/v1' },
  );
}

/** One value, an array of them, or one in each line. Fails with `VALIDATION_ERROR`. */
function parseItems(text: string): unknown[] {
  const trimmed = text.trim();
  if (trimmed === '') return fail('VALIDATION_ERROR', 'The request body is empty');
  const lines = trimmed.split(/\r?\n/);
  const isLines = lines.length > 1 && lines.every((line) => line.trim() === '' || isWhole(line));
  const items = isLines ? lines.filter((line) => line.trim() !== '').map(parse) : [parse(trimmed)].flat();
  if (items.length === 0 || items.length > ITEMS_MAX)
    fail('VALIDATION_ERROR', `A body must hold 1 to ${ITEMS_MAX} items; this one holds ${items.length}`);
  return items;
}

/** A line that begins and ends as an object does: of a printed object not every line does. */
function isWhole(line: string): boolean {
  const text = line.trim();
  return text.startsWith('{') && text.endsWith('}');
}

function parse(text: string): unknown {
  if (scanJson(text).depth > DEPTH_MAX)
    fail('VALIDATION_ERROR', `The request body must not be nested deeper than ${DEPTH_MAX} levels`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fail('VALIDATION_ERROR', 'The request body is not valid JSON');
  }
}

function reduceLitellm(item: unknown): unknown {
  return { ...picked(item, LITELLM_FIELDS), metadata: picked(fieldsOf(item)['metadata'], LITELLM_METADATA) };
}

function picked(item: unknown, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(fieldsOf(item)).filter(([name]) => names.has(name)));
}

function fieldsOf(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
    ? (item as Readonly<Record<string, unknown>>)
    : {};
}
