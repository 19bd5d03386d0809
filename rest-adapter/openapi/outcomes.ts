/** OpenAPI description of `POST /ext/v1/outcomes`, which is signed as ingestion. */
import { OUTCOMES_MAX } from '../ext/send-outcomes.ts';
import { array, integer, type JsonSchema, nullable, object, text } from '../json-schema.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

const OUTCOME = {
  type: 'object',
  additionalProperties: false,
  required: ['key', 'name', 'succeeded', 'at'],
  properties: {
    key: text('Identifies the outcome. A later outcome with the same key is a correction; a resend changes nothing.'),
    name: text('Kind of task, such as `ticket_resolved`.'),
    succeeded: { type: 'boolean', description: 'False for an attempt that failed.' },
    at: text('When the task was completed or failed: RFC 3339 with an offset or `Z`.'),
    task_id: text(
      'The task. It owns the events with this `metadata.task_id`, up to its time and after the previous outcome of the task.',
    ),
    session_id: text('The session, which is used if no task is given.'),
    user_id: text('The end user. Default: the end user of the events of the outcome.'),
    agent_id: text('The agent. Default: the agent of the events of the outcome.'),
    value: {
      description: 'Value of the completed task: a decimal, 0 or more, as text or number.',
      oneOf: [{ type: 'string' }, { type: 'number', minimum: 0 }],
    },
    currency: text('ISO 4217 code of the value; default: USD. Only USD is compared with costs.'),
    metadata: {
      type: 'object',
      description: 'At most 50 strings, numbers and booleans, by which outcomes can be grouped.',
      additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    },
    stated_at: text(
      'When this was stated; default: when it is received. If several statements have the same key, the one stated last counts, whatever the order of arrival.',
    ),
  },
} as const;

const EXAMPLE = {
  key: 'ticket-4711-2',
  name: 'ticket_resolved',
  succeeded: true,
  at: '2026-01-15T10:04:00Z',
  task_id: 'ticket-4711',
  user_id: 'customer-7',
  value: '1.5',
};

const RESULT = object({
  accepted: integer('Number of recorded outcomes, including those received before.'),
  failed: integer('Rejected outcomes.'),
  results: array(
    object({
      index: integer('Position in the request, from 0.'),
      status: { ...text('`accepted` or `rejected`.'), enum: ['accepted', 'rejected'] },
      key: nullable(text('Its key; null if it has no valid one.')),
      effect: {
        ...nullable(text('What it changed; null if it was rejected.')),
        enum: ['new', 'correction', 'superseded', 'none', null],
      },
      error: nullable(text('An error code; null if it was accepted.')),
      message: text('What happened.'),
    }),
    'One result per outcome, in order.',
  ),
});

export function outcomePaths(apiOrigin: string): JsonSchema {
  return {
    '/ext/v1/outcomes': {
      post: {
        tags: ['Outcomes'],
        servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
        security: [{ apiKey: ['usage:write'] }],
        operationId: 'recordOutcomes',
        summary: 'Record outcomes',
        description: `Completed tasks and failed attempts: one outcome, an array of at most ${OUTCOMES_MAX}, or one per line. The key requires the scope \`usage:write\`, and permission to write unsigned unless the body is signed as on \`/v1\`. Outcomes of test keys are excluded from all figures. gzip is supported. Not part of the contract.`,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { oneOf: [OUTCOME, { ...array(OUTCOME), minItems: 1, maxItems: OUTCOMES_MAX }] },
              example: [EXAMPLE],
            },
            'application/x-ndjson': {
              schema: { type: 'string', description: 'One object per line.' },
              example: `${JSON.stringify(EXAMPLE)}\n`,
            },
          },
        },
        responses: {
          202: {
            description: 'Accepted outcomes are stored.',
            headers: { ...CORRELATION_HEADER, ...headerReferences() },
            content: {
              'application/json': {
                schema: RESULT,
                example: {
                  accepted: 1,
                  failed: 0,
                  results: [
                    {
                      index: 0,
                      status: 'accepted',
                      key: 'ticket-4711-2',
                      effect: 'new',
                      error: null,
                      message: 'Recorded',
                    },
                  ],
                },
              },
            },
          },
          ...errorResponses([
            'VALIDATION_ERROR',
            'UNAUTHORIZED',
            'FORBIDDEN',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
            'RATE_LIMIT_EXCEEDED',
          ]),
        },
      },
    },
  };
}
