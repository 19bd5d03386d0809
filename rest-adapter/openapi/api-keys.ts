/** OpenAPI description of key rotation: the only endpoint for sessions, and the only response in camelCase. */
import type { GraphQLSchema } from 'graphql';
import type { JsonSchema } from '../json-schema.ts';
import { ROTATE_API_KEY } from '../routes/api-keys/id/rotate.ts';
import { type Components, deriveSchema } from './derive-schema.ts';
import { CORRELATION_HEADER, errorResponses } from './responses.ts';

const EXAMPLE = {
  apiKey: 'The new key',
  keyInfo: {
    id: '2f6b8f0e-9a54-4a0b-8a3c-6a5d2f0e7c11',
    name: 'Dashboard export (Rotated)',
    scopes: ['costs:read', 'usage:read'],
    environment: 'live',
    createdAt: '2026-02-01T08:00:00.000Z',
    createdBy: '4f1e9a52-0b9f-4a53-9a1d-6f0f5c9d2b77',
  },
  warning: 'Copy the key now: it is shown this once.',
};

export function apiKeyPaths(api: GraphQLSchema, components: Components): JsonSchema {
  const schema = deriveSchema(api, components, { document: ROTATE_API_KEY, answer: ['apiKeyRotate', 'rotatedApiKey'] });
  return {
    '/api-keys/{id}/rotate': {
      post: {
        tags: ['API keys'],
        security: [{ session: [] }],
        operationId: 'rotateApiKey',
        summary: 'Replaces an active key and revokes the old one in the same step',
        description:
          'Requires the session of a signed-in person, not an API key. The request must come from one of our pages (`Origin`) or have the header `X-Requested-With`. The person must have signed in within the last ten minutes.',
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'The key to replace.',
            schema: { type: 'string' },
            example: '5b1f0c7e-33d4-4c39-9a77-1f2e5d8c9b10',
          },
        ],
        responses: {
          200: {
            description: 'The new key.',
            headers: CORRELATION_HEADER,
            content: { 'application/json': { schema, example: EXAMPLE } },
          },
          ...errorResponses(['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE']),
        },
      },
    },
  };
}
