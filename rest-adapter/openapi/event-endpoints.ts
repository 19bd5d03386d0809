/**
 * OpenAPI description of the usage endpoints outside `/v1`: raw responses, LiteLLM, OpenTelemetry. They are at the
 * root, and not part of the contract.
 */
import { array, integer, type JsonSchema, object } from '../json-schema.ts';
import { CACHED_TOKENS_HEADER } from '../hooks/read-cached-tokens.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

const UNSIGNED =
  'The key requires the scope `usage:write`, and permission to write unsigned unless the body is signed as on `/v1`. gzip is supported. Not part of the contract.';

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

const RESULT = {
  description: 'Results for the calls.',
  ...object({
    accepted: integer('Number of stored calls, including calls that were stored before.'),
    duplicates: integer('Accepted calls that were reported before, through any endpoint.'),
    failed: integer('Rejected items.'),
    results: array({ $ref: '#/components/schemas/BatchItemResult' }, 'One result per item, in order.'),
  }),
};

const EXAMPLE_RESULT = {
  accepted: 1,
  duplicates: 0,
  failed: 0,
  results: [
    {
      index: 0,
      status: 'accepted',
      event_id: '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10',
      message: 'Queued for cost calculation',
    },
  ],
};

const PARAMETERS = [
  {
    name: CACHED_TOKENS_HEADER,
    in: 'header',
    required: false,
    description:
      'States whether the input counts of this request include cached tokens. Used if the counts themselves do not show it; their reading is then `stated`. Other values are rejected.',
    schema: { type: 'string', enum: ['included', 'excluded'] },
    example: 'included',
  },
];

/** A message without fields has zero bytes. */
const PROTOBUF = { schema: { type: 'string', contentMediaType: 'application/x-protobuf' }, example: '' } as const;

interface Door {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly item: string;
  readonly example: JsonSchema;
}

const CALLS: Readonly<Record<string, Door>> = {
  '/ext/v1/provider-responses': {
    operationId: 'sendProviderResponses',
    summary: 'Send provider responses',
    description: `One response, an array of at most 1,000, or one per line. Prompts and completions are removed before anything is stored. ${UNSIGNED}`,
    item: "A provider's response, optionally wrapped as `{ response, provider, user_id, … }`.",
    example: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o-2024-08-06',
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    },
  },
  '/ext/v1/litellm': {
    operationId: 'sendLitellmPayloads',
    summary: 'Receive LiteLLM logs (generic_api callback)',
    description: `One log, an array of at most 1,000, or one per line. Cache hits cost nothing. ${UNSIGNED}`,
    item: "LiteLLM's standard logging payload.",
    example: {
      id: 'chatcmpl-1',
      call_type: 'acompletion',
      status: 'success',
      custom_llm_provider: 'openai',
      model: 'gpt-4o',
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      startTime: 1_768_471_200.5,
      end_user: 'customer-7',
    },
  },
};

const EXPORTS = {
  '/otlp/v1/traces': { operationId: 'exportTraces', what: 'spans', list: 'resourceSpans', rejected: 'rejectedSpans' },
  '/otlp/v1/logs': {
    operationId: 'exportLogs',
    what: 'log records',
    list: 'resourceLogs',
    rejected: 'rejectedLogRecords',
  },
} as const;

const REFUSALS = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
] as const;

export function eventEndpointPaths(apiOrigin: string): JsonSchema {
  const shared = {
    tags: ['Ingestion'],
    servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
    security: [{ apiKey: ['usage:write'] }],
    parameters: PARAMETERS,
  };
  const headers = { ...CORRELATION_HEADER, ...headerReferences() };
  const calls = Object.entries(CALLS).map(([path, { operationId, summary, description, item, example }]) => {
    const one = { ...ANY_OBJECT, description: item };
    const lines = {
      schema: { type: 'string', description: 'One object per line.' },
      example: `${JSON.stringify(example)}\n`,
    };
    return [
      path,
      {
        post: {
          ...shared,
          operationId,
          summary,
          description,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { oneOf: [one, { ...array(one), minItems: 1, maxItems: 1_000 }] },
                example,
              },
              'application/x-ndjson': lines,
            },
          },
          responses: {
            202: {
              description: 'Accepted items are stored and queued.',
              headers,
              content: { 'application/json': { schema: RESULT, example: EXAMPLE_RESULT } },
            },
            ...errorResponses([...REFUSALS, 'PAYMENT_REQUIRED']),
          },
        },
      },
    ] as const;
  });
  const exports = Object.entries(EXPORTS).map(([path, { operationId, what, list, rejected }]) => {
    const status = { ...ANY_OBJECT, description: 'google.rpc.Status.' };
    return [
      path,
      {
        post: {
          ...shared,
          operationId,
          summary: `Receive OpenTelemetry ${what}`,
          description: `OTLP/HTTP, as JSON or protobuf; the response has the same type. Each model call among the ${what} becomes one event; the rate limit counts events. ${UNSIGNED}`,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: ANY_OBJECT, example: { [list]: [] } },
              'application/x-protobuf': PROTOBUF,
            },
          },
          responses: {
            200: {
              description: `Accepted. With \`partialSuccess\`, some ${what} were rejected; do not resend them.`,
              headers,
              content: {
                'application/json': {
                  schema: ANY_OBJECT,
                  example: { partialSuccess: { [rejected]: '1', errorMessage: 'model is required' } },
                },
                'application/x-protobuf': PROTOBUF,
              },
            },
            default: {
              description: 'Rejected. After 429 and 503, retry the same request after `Retry-After` seconds.',
              content: {
                'application/json': { schema: status, example: { code: 3, message: 'The body is not valid JSON' } },
                'application/x-protobuf': PROTOBUF,
              },
            },
          },
        },
      },
    ] as const;
  });
  return Object.fromEntries<JsonSchema>([...calls, ...exports]);
}
