/**
 * OpenAPI description of the usage endpoints outside `/v1`: raw responses, LiteLLM, OpenTelemetry. They are at the
 * root, and not part of the contract.
 */
import { array, integer, type JsonSchema, object } from '../json-schema.ts';
import { CACHED_TOKENS_HEADER } from '../hooks/read-cached-tokens.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

const UNSIGNED =
  'The key needs the scope `usage:write` and the permission to write unsigned; without it the body is signed as on `/v1`. gzip may be used. Not part of the contract.';

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

const RESULT = {
  description: 'What became of the calls.',
  ...object({
    accepted: integer('Calls that are stored, those that were there already included.'),
    duplicates: integer('Calls of these that were reported before, through whichever door.'),
    failed: integer('Items that were refused.'),
    results: array({ $ref: '#/components/schemas/BatchItemResult' }, 'One for each item, in order.'),
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
      'Whether the input counts of this request include cached tokens. It decides where the counts leave it open; their reading is `stated`. Any other value is refused.',
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
    summary: 'Sends responses as a provider gave them',
    description: `One, an array of at most 1,000, or one in each line. Content is dropped before anything is stored. ${UNSIGNED}`,
    item: "A provider's response, or `{ response, provider, user_id, … }` around it.",
    example: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o-2024-08-06',
      usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
    },
  },
  '/ext/v1/litellm': {
    operationId: 'sendLitellmPayloads',
    summary: 'Takes what the generic_api callback of LiteLLM posts',
    description: `One, an array of at most 1,000, or one in each line. What its cache answered costs nothing. ${UNSIGNED}`,
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
    servers: [{ url: apiOrigin, description: 'At the root.' }],
    security: [{ apiKey: ['usage:write'] }],
    parameters: PARAMETERS,
  };
  const headers = { ...CORRELATION_HEADER, ...headerReferences() };
  const calls = Object.entries(CALLS).map(([path, { operationId, summary, description, item, example }]) => {
    const one = { ...ANY_OBJECT, description: item };
    const lines = {
      schema: { type: 'string', description: 'One object in each line.' },
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
              description: 'What could be taken is stored and queued.',
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
          summary: `Takes ${what} of OpenTelemetry`,
          description: `OTLP/HTTP, in JSON or protobuf; the answer is of the same type. Calls of models among the ${what} become events, each once; the limit counts events. ${UNSIGNED}`,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: ANY_OBJECT, example: { [list]: [] } },
              'application/x-protobuf': PROTOBUF,
            },
          },
          responses: {
            200: {
              description: `Taken. With \`partialSuccess\` some ${what} were refused: sending them again would not help.`,
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
              description:
                'Refused. After 429 and 503 the same request may be sent again, after `Retry-After` seconds.',
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
