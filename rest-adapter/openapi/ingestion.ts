/** OpenAPI description of the two signed endpoints. They are not reads, so the route table does not contain them. */
import { array, instant, integer, type JsonSchema, nullable, object, text } from '../json-schema.ts';
import { errorResponses, headerReferences } from './responses.ts';

const short = (description: string, more: JsonSchema = {}): JsonSchema =>
  text(description, { minLength: 1, maxLength: 255, ...more });
const tokens = (description: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

const USAGE_EVENT = {
  description: 'One model call.',
  ...object(
    {
      idempotency_key: short('A resend with the same key never counts twice and never spends a second credit.'),
      model: short("The provider's name of the model."),
      input_tokens: tokens(
        'Input tokens as reported by the provider, or their total including cached tokens (excluding them for Anthropic and Bedrock). Add `total_tokens`, or the usage object as `usage`, to remove any doubt.',
      ),
      output_tokens: tokens('All output tokens including reasoning: send the total, or the usage object as `usage`.'),
      event_invoked_at: instant('Time of the call; may be in the past.'),
      provider: short('Usually a lowercase slug.'),
      user_id: short('Your own identifier of the end user.'),
      cost_override: {
        type: ['string', 'number'],
        description: 'The whole cost in USD; no rate card is then required.',
        'x-open-point': 'D4',
      },
      experiment: {
        description: 'The experiment that the call was part of.',
        ...object({
          experiment_id: short('Id of the experiment.'),
          variant: short('The variant that the end user got.'),
        }),
      },
      session_id: short('Id shared by the calls of one session.'),
      session_type: short('Kind of session.'),
      span_id: short('The step of the session that made the call.'),
      parent_span_id: short('The parent step.'),
      feature: short('Attribution key; also read from metadata.', { 'x-open-point': 'D5' }),
      agent_id: short('Attribution key; also read from metadata.', { 'x-open-point': 'D5' }),
      workflow_id: short('Attribution key; also read from metadata.', { 'x-open-point': 'D5' }),
      units: {
        type: ['string', 'number'],
        description: 'Quantity of a model that is priced per unit.',
        'x-open-point': 'D5',
      },
      cache_creation_input_tokens: nullable(tokens('Input tokens written to a cache.')),
      cache_read_input_tokens: nullable(tokens('Input tokens read from a cache.')),
      reasoning_tokens: nullable(tokens('Output tokens spent on reasoning.')),
      metadata: {
        type: 'object',
        description: 'Your own data: at most 32 KiB, 100 keys, 32 levels.',
        'x-open-point': 'D4',
        additionalProperties: true,
      },
    },
    [
      'provider',
      'user_id',
      'cost_override',
      'experiment',
      'session_id',
      'session_type',
      'span_id',
      'parent_span_id',
      'feature',
      'agent_id',
      'workflow_id',
      'units',
      'cache_creation_input_tokens',
      'cache_read_input_tokens',
      'reasoning_tokens',
      'metadata',
    ],
  ),
};

const EXAMPLE_EVENT = {
  idempotency_key: 'call-1',
  model: 'claude-sonnet-4-5-20250929',
  provider: 'anthropic',
  input_tokens: 2_000,
  output_tokens: 800,
  cache_read_input_tokens: 10_000,
  event_invoked_at: '2026-01-15T10:00:00Z',
  user_id: 'customer-7',
  metadata: { agent_id: 'support', team: 'red' },
};

const EXAMPLE_RESULT = {
  status: 'accepted',
  event_id: '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10',
  message: 'Queued for cost calculation',
};

const RESULT = {
  status: text('Result for the event.', { enum: ['accepted', 'accepted_flagged', 'rejected'] }),
  event_id: text('For accepted items.', { format: 'uuid' }),
  message: text('Text for people.'),
  flag_reason: text('For flagged items; several causes are separated by commas.', { 'x-open-point': 'D7' }),
  error: text('Code of a rejected item.', { 'x-open-point': 'D8' }),
};

const SIGNATURE_PARAMETERS = [
  {
    name: 'X-Timestamp',
    in: 'header',
    required: true,
    description: 'Unix time in seconds, within 5 minutes.',
    schema: { type: 'string', pattern: '^\\d{1,12}$' },
    example: '1768471200',
  },
  {
    name: 'X-Signature',
    in: 'header',
    required: true,
    description: '`v1=` and the hex HMAC-SHA256 of `{timestamp}.{body}`, keyed with the API key.',
    schema: { type: 'string' },
    example: `v1=${'0123456789abcdef'.repeat(4)}`,
  },
];

const UNAUTHORIZED = {
  description: '`UNAUTHORIZED`: the key (envelope), or the signature or its timestamp (flat body).',
  content: {
    'application/json': {
      schema: { oneOf: [{ $ref: '#/components/schemas/Error' }, { $ref: '#/components/schemas/SignatureError' }] },
      example: { error: 'The signature does not fit the body', code: 'UNAUTHORIZED' },
    },
  },
};

const SHARED = { tags: ['Ingestion'], security: [{ apiKey: ['usage:write'] }], parameters: SIGNATURE_PARAMETERS };

const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const INGESTION_SCHEMAS: JsonSchema = {
  UsageEventInput: USAGE_EVENT,
  IngestionResult: { description: 'Result for one event.', ...object(RESULT, ['flag_reason', 'error']) },
  BatchItemResult: {
    description: 'Result for one event of a batch.',
    ...object({ index: integer('Position in the request.'), ...RESULT }, ['event_id', 'flag_reason', 'error']),
  },
  BatchResult: {
    description: 'Result for a batch.',
    ...object({
      accepted: integer('Accepted items, including flagged ones.'),
      failed: integer('Rejected items.'),
      results: array(component('BatchItemResult'), 'One result per event, in order.'),
    }),
  },
};

export const INGESTION_PATHS: JsonSchema = {
  '/usage-events': {
    post: {
      ...SHARED,
      operationId: 'ingestUsageEvent',
      summary: 'Send one usage event',
      description: 'Requires the scope `usage:write`.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: component('UsageEventInput'), example: EXAMPLE_EVENT } },
      },
      responses: {
        202: {
          description: 'The event is stored and queued.',
          'x-open-point': 'D2',
          headers: {
            ...headerReferences(),
            'X-Service-Usage-Warning': {
              description: "The plan's soft limit is exceeded.",
              schema: { type: 'string' },
            },
          },
          content: { 'application/json': { schema: component('IngestionResult'), example: EXAMPLE_RESULT } },
        },
        ...errorResponses([
          'VALIDATION_ERROR',
          'PAYMENT_REQUIRED',
          'FORBIDDEN',
          'PAYLOAD_TOO_LARGE',
          'UNSUPPORTED_MEDIA_TYPE',
          'RATE_LIMIT_EXCEEDED',
        ]),
        401: UNAUTHORIZED,
      },
    },
  },
  '/usage-events/batch': {
    post: {
      ...SHARED,
      operationId: 'ingestUsageEvents',
      summary: 'Send 1 to 100 usage events',
      description: 'Requires the scope `usage:write`. Returns 202 even if every item is rejected: check the results.',
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { ...array(component('UsageEventInput')), minItems: 1, maxItems: 100, 'x-open-point': 'D1' },
            example: [
              EXAMPLE_EVENT,
              { ...EXAMPLE_EVENT, idempotency_key: 'call-2', model: 'in-house-1', provider: 'in-house' },
            ],
          },
        },
      },
      responses: {
        202: {
          description: 'One result per event, in order.',
          headers: headerReferences(),
          content: {
            'application/json': {
              schema: component('BatchResult'),
              example: {
                accepted: 2,
                failed: 0,
                results: [
                  { index: 0, ...EXAMPLE_RESULT },
                  {
                    index: 1,
                    status: 'accepted_flagged',
                    event_id: '019b7a3c-52d2-7c40-9d3b-6f1f0f5f7a11',
                    message: 'Queued for cost calculation; see flag_reason',
                    flag_reason: 'no_rate_card',
                  },
                ],
              },
            },
          },
        },
        ...errorResponses([
          'VALIDATION_ERROR',
          'FORBIDDEN',
          'PAYLOAD_TOO_LARGE',
          'UNSUPPORTED_MEDIA_TYPE',
          'RATE_LIMIT_EXCEEDED',
        ]),
        401: UNAUTHORIZED,
      },
    },
  },
};
