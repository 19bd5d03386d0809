/** OpenAPI description of `POST /ext/v1/bills`, whose body is a provider's file. */
import { integer, type JsonSchema, object, text } from '../json-schema.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

const FILE = {
  schema: { type: 'string' },
  example: 'start_time,end_time,amount_value,amount_currency,line_item\n',
} as const;

export function billPaths(apiOrigin: string): JsonSchema {
  return {
    '/ext/v1/bills': {
      post: {
        tags: ['Bills'],
        servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
        security: [{ apiKey: ['bills:write'] }],
        operationId: 'importBill',
        summary: "Import a provider's bill",
        description:
          "The body is the provider's file, unchanged, at most 64 MiB, plain or gzip: cost and usage reports of Anthropic, OpenAI, xAI and Fireworks, AWS CUR 2.0, Google's billing export, OpenRouter activity, FOCUS 1.0 to 1.4. Importing the same file again has no effect; a later bill replaces the earlier one for the same days. Requires the scope `bills:write`. Not part of the contract.",
        parameters: [
          {
            name: 'connection_id',
            in: 'query',
            required: false,
            description:
              "Id of a bill connection. Default: the one of the file's source, which is created if it does not exist.",
            schema: { type: 'string', format: 'uuid' },
          },
        ],
        requestBody: {
          required: true,
          content: { 'text/csv': FILE, 'application/json': { schema: {}, example: { object: 'page', data: [] } } },
        },
        responses: {
          200: {
            description: 'The import.',
            headers: { ...CORRELATION_HEADER, ...headerReferences() },
            content: {
              'application/json': {
                schema: object({
                  connection_id: text('The connection.'),
                  source: text('The recognized source.'),
                  from_day: text('First UTC day.'),
                  to_day: text('Last UTC day.'),
                  is_new: { type: 'boolean', description: 'False if the same file was imported before.' },
                  lines: integer('Number of lines, after the rows of each day were added up.'),
                  unread_lines: integer(
                    'Usage lines that are not fully understood. They count towards the total of their day.',
                  ),
                }),
                example: {
                  connection_id: '0199a1b2-7c00-7000-8000-00000000b111',
                  source: 'openai.costs',
                  from_day: '2026-01-15',
                  to_day: '2026-01-15',
                  is_new: true,
                  lines: 8,
                  unread_lines: 0,
                },
              },
            },
          },
          ...errorResponses([
            'VALIDATION_ERROR',
            'UNAUTHORIZED',
            'FORBIDDEN',
            'NOT_FOUND',
            'PAYLOAD_TOO_LARGE',
            'RATE_LIMIT_EXCEEDED',
          ]),
        },
      },
    },
  };
}
