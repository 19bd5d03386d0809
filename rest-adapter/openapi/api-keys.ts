/** The rotation of a key, described: the one endpoint of a session, and the one answer in camelCase. */
import { array, instant, type JsonSchema, object, text } from '../json-schema.ts';
import { CORRELATION_HEADER, errorResponses } from './responses.ts';

const ROTATED = object({
  apiKey: text('The new key, returned once.'),
  keyInfo: object({
    id: text('Its id.', { format: 'uuid' }),
    name: text('The old name and ` (Rotated)`.'),
    scopes: array(text('A scope, as the old key.')),
    environment: text('As the old key.', { enum: ['live', 'test'] }),
    createdAt: instant('When it was made.'),
    createdBy: text('The account user who rotated it.', { format: 'uuid' }),
  }),
  warning: text('What to do now.'),
});

export const API_KEY_PATHS: JsonSchema = {
  '/api-keys/{id}/rotate': {
    post: {
      tags: ['API keys'],
      security: [{ session: [] }],
      operationId: 'rotateApiKey',
      summary: 'Replaces an active key and revokes the old one in the same step',
      description: 'By the session of a signed-in person, never by an API key. The request must come from a page of ours (`Origin`) or carry the header `X-Requested-With`.',
      parameters: [{ name: 'id', in: 'path', required: true, description: 'The key to replace.', schema: { type: 'string' } }],
      responses: {
        200: { description: 'The new key.', headers: CORRELATION_HEADER, content: { 'application/json': { schema: ROTATED } } },
        ...errorResponses(['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE']),
      },
    },
  },
};
