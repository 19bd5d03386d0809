import { isRawNumber } from '#kernel/json/exact-json.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { countBilledTools } from '#usage/counts/count-billed-tools.ts';
import { fail } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
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
    at: { type: ['string', 'null'], description: 'Time of the call, as an ISO 8601 date or date-time; default: now.' },
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

/**
 * Names of the usage object in a provider's response. A body with one of them is a response: only the numbers, booleans
 * and short strings of its other members are passed on, and the number of billed tool calls.
 */
const CONTAINERS = ['usage', 'usageMetadata', 'usage_metadata'];

function readCall(body: unknown, what: string): Call {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || isRawNumber(body))
    return fail('VALIDATION_ERROR', `${what} must be an object with model and usage`);
  const { model, modelVersion, provider, context, at, ...rest } = body as Readonly<Record<string, unknown>>;
  const name = optionalText(model, 'model') ?? optionalText(modelVersion, 'modelVersion');
  const time = optionalText(at, 'at');
  if (time !== null && parseIso8601(time) === null)
    fail('VALIDATION_ERROR', 'at must be an ISO 8601 date or date-time');
  const isResponse = CONTAINERS.some((key) => typeof rest[key] === 'object' && rest[key] !== null);
  const usage = isResponse
    ? {
        ...Object.fromEntries(
          Object.entries(rest).filter(([key, value]) => CONTAINERS.includes(key) || isPlain(value)),
        ),
        billed_tools: countBilledTools(body),
      }
    : rest;
  return {
    model: name ?? fail('VALIDATION_ERROR', `${what} has no model`),
    provider: optionalText(provider, 'provider'),
    usage,
    context: optionalText(context, 'context'),
    at: time,
  };
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 255);
}

function optionalText(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : fail('VALIDATION_ERROR', `${name} must be text`);
}
