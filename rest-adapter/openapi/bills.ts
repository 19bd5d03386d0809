/** OpenAPI description of `POST /ext/v1/bills`, whose body is a file of a provider. */
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
        servers: [{ url: apiOrigin, description: 'Relative to the root.' }],
        security: [{ apiKey: ['bills:write'] }],
        operationId: 'importBill',
        summary: 'Import a bill of a provider',
        description:
          'The file as the provider writes it, at most 64 MiB, plain or gzip: cost and usage reports of Anthropic and OpenAI, AWS CUR 2.0, Google billing export, OpenRouter activity, FOCUS 1.0 to 1.4. The same bytes twice are imported once; a later bill of a day replaces the earlier one. Requires the scope `bills:write`. Not part of the contract.',
        parameters: [
          {
            name: 'connection_id',
            in: 'query',
            required: false,
            description:
              "The bill connection; default: the one of the file's source, which is created if it does not exist.",
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
                  source: text('The source that was recognized.'),
                  from_day: text('First UTC day.'),
                  to_day: text('Last UTC day.'),
                  is_new: { type: 'boolean', description: 'False if the same bytes were imported before.' },
                  lines: integer('Lines, after the rows of a day were added up.'),
                  unread_lines: integer('Lines of usage that no verified rule reads.'),
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
