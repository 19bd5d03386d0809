import { isRawNumber } from '#kernel/json/exact-json.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { type Fields, isObject } from '#kernel/json/json-object.ts';
import { now } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { readProviderResponse } from '#usage/responses/provider-response.ts';
import { reduceResponse } from '#usage/responses/reduce-response.ts';
import { USAGE_OBJECTS, WRAPPERS } from '#usage/responses/unwrap-response.ts';
import { text } from '../../json-schema.ts';
import type { ExtRequest, ExtRoute } from '../ext-route.ts';

const DOCUMENT = graphql(`query PriceUsage(
  $model: String!, $provider: String, $usage: JSON!, $context: String, $at: Instant
) {
  priceUsage(model: $model, provider: $provider, usage: $usage, context: $context, at: $at) {
    status
    total_cost: totalCost
    reason
    model_slug: modelSlug
    provider_slug: providerSlug
    match_rule: matchRule
    reading
    token_reading: tokenReading
    pricing_context: pricingContext
    unknown_context: unknownContext
    lines { class model quantity rate per cost why }
  }
}`);

const CALLS_MAX = 100;

const CALL = {
  type: 'object',
  description:
    "A model call: `model` and its counts, either as a provider's usage object in `usage`, as fields of a usage event, or as the whole body of a provider's response.",
  properties: {
    model: text("The provider's name of the model."),
    provider: {
      type: ['string', 'null'],
      description: 'Usually a lowercase slug. If absent, it is inferred from the model.',
    },
    usage: { type: 'object', description: "A provider's usage object, or counts named as in a usage event." },
    context: {
      type: ['string', 'null'],
      description: 'Pricing context, such as `tier=batch` or `geo=us,speed=fast`. Takes precedence over the counts.',
    },
    at: {
      type: ['string', 'null'],
      description:
        'Time of the call, as an ISO 8601 date or date-time; default: the time in the response, otherwise now.',
    },
  },
  additionalProperties: true,
};

/** `POST /ext/v1/price`: the price of one call, or of up to 100; nothing is stored. */
export const price: ExtRoute = {
  url: '/price',
  operationId: 'priceCall',
  tool: 'price_usage',
  tag: 'Rate cards',
  summary: 'Price a call without storing it',
  description: `Prices a call exactly like a usage event. An array of up to ${CALLS_MAX} calls returns an array. A call without a rate is \`pending_rate_card\`, with the reason.`,
  scope: 'costs:read',
  spends: 'read',
  errors: [],
  body: CALL,
  manyMax: CALLS_MAX,
  document: DOCUMENT,
  at: ['priceUsage'],
  answer: async (body, request) => {
    if (!Array.isArray(body)) return priceOf(readCall(body, 'The request body'), request);
    if (body.length === 0 || body.length > CALLS_MAX)
      fail('VALIDATION_ERROR', `An array must contain 1 to ${CALLS_MAX} calls; this one contains ${body.length}`);
    const calls = body.map((call, index) => readCall(call, `Call ${index}`));
    const prices: unknown[] = [];
    for (const call of calls) prices.push(await priceOf(call, request));
    return prices;
  },
  example: {
    body: {
      model: 'gpt-4o',
      provider: 'openai',
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
      at: '2026-01-15T10:00:00Z',
    },
    response: {
      status: 'completed',
      total_cost: '0.0035',
      reason: null,
      model_slug: 'gpt-4o',
      provider_slug: 'openai',
      match_rule: 'matched "gpt-4o" as sent',
      reading: 'openai-chat',
      token_reading: 'input inclusive (no cache tokens), output inclusive (no reasoning tokens)',
      pricing_context: '',
      unknown_context: null,
      lines: [
        {
          class: 'input',
          model: null,
          quantity: '1000',
          rate: '2.5',
          per: 'million_tokens',
          cost: '0.0025',
          why: null,
        },
        { class: 'output', model: null, quantity: '100', rate: '10', per: 'million_tokens', cost: '0.001', why: null },
      ],
    },
  },
};

async function priceOf(call: Call, { gateway, principal }: ExtRequest): Promise<unknown> {
  return (await askGateway(gateway, DOCUMENT, call, principal)).priceUsage;
}

interface Call {
  readonly model: string;
  readonly provider: string | null;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly context: string | null;
  readonly at: string | null;
}

/** Members of a call that is described by its usage object, and how it was served. */
const CALL_MEMBERS: ReadonlySet<string> = new Set([
  ...['model', 'modelVersion', 'provider', 'context', 'at', ...USAGE_OBJECTS],
  ...['service_tier', 'serviceTier', 'speed', 'inference_geo', 'serving_region', 'vertex_location', 'batch'],
]);
/** Members of a usage event, as sent to `/v1`. */
const EVENT_MEMBERS = ['input_tokens', 'output_tokens'];

function readCall(body: unknown, what: string): Call {
  if (!isObject(body) || isRawNumber(body))
    return fail('VALIDATION_ERROR', `${what} must be an object with model and usage`);
  const { context, at, ...call } = body;
  const time = optionalText(at, 'at');
  if (time !== null && parseIso8601(time) === null)
    fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time');
  const described = isResponse(call) ? readResponse(call) : readDescription(call);
  return {
    ...described,
    model: described.model ?? fail('VALIDATION_ERROR', `${what} has no model`),
    context: optionalText(context, 'context'),
    at: time ?? described.at,
  };
}

/** True for anything that `/ext/v1/provider-responses` reads, other than a call described by hand or a usage event. */
function isResponse(body: Fields): boolean {
  if (EVENT_MEMBERS.some((name) => body[name] !== undefined)) return false;
  if (WRAPPERS.some((name) => isObject(body[name]))) return true;
  // Titan counts its output in `results`.
  if (body['inputTextTokenCount'] !== undefined) return true;
  const isWhole = Object.keys(body).some((name) => !CALL_MEMBERS.has(name));
  return isWhole && USAGE_OBJECTS.some((name) => isObject(body[name]));
}

type Described = Pick<Call, 'provider' | 'usage' | 'at'> & { readonly model: string | null };

/** Reads a response as `/ext/v1/provider-responses` does. Its content is dropped before it is passed on. */
function readResponse(body: Fields): Described {
  const read = readProviderResponse(reduceResponse(body), now());
  if (!read.ok) return fail('VALIDATION_ERROR', 'The call failed, and failed calls are not billed');
  if (read.problem !== undefined) fail('VALIDATION_ERROR', read.problem);
  const { model, provider, event_invoked_at: at, idempotency_key: _, ...usage } = read.item;
  const time = textOrNull(at);
  return {
    model: textOrNull(model),
    provider: textOrNull(provider),
    usage,
    at: time !== null && parseIso8601(time) !== null ? time : null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function readDescription({ model, modelVersion, provider, ...usage }: Fields): Described {
  return {
    model: optionalText(model, 'model') ?? optionalText(modelVersion, 'modelVersion'),
    provider: optionalText(provider, 'provider'),
    usage,
    at: null,
  };
}

function optionalText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : fail('VALIDATION_ERROR', `${name} must be text`);
}
