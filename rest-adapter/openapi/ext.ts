/**
 * OpenAPI description of the endpoints of `/ext/v1`, from their table. Their paths start at the origin's root, since
 * they are not part of `/v1`.
 */
import type { GraphQLSchema } from 'graphql';
import type { Scope } from '#schema/scopes.ts';
import type { ExtRoute } from '../ext/ext-route.ts';
import { EXT_ROUTES } from '../ext/ext-route-table.ts';
import { array, type JsonSchema } from '../json-schema.ts';
import { type Components, deriveSchema } from './derive-schema.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

export function extPaths(apiOrigin: string, api: GraphQLSchema, components: Components): JsonSchema {
  return Object.fromEntries(
    EXT_ROUTES.map((route) => {
      const one = deriveSchema(api, components, { document: route.document, answer: route.at, summary: route.summary });
      const oneOrMany = (schema: JsonSchema): JsonSchema =>
        route.manyMax === null
          ? schema
          : { oneOf: [schema, { ...array(schema), minItems: 1, maxItems: route.manyMax }] };
      const content = (schema: JsonSchema, example: unknown) => ({
        'application/json': { schema: oneOrMany(schema), example },
      });
      return [
        `/ext/v1${route.url}`,
        {
          post: {
            tags: [route.tag],
            servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
            security: scopesOf(route).map((scope) => ({ apiKey: [scope] })),
            operationId: route.operationId,
            summary: route.summary,
            description: `${route.description} Requires the scope ${scopesOf(route)
              .map((scope) => `\`${scope}\``)
              .join(' or ')}. Not part of the contract.`,
            requestBody: { required: true, content: content(route.body, route.example.body) },
            responses: {
              200: {
                description: 'The response.',
                headers: { ...CORRELATION_HEADER, ...headerReferences() },
                content: content(one, route.example.response),
              },
              ...errorResponses([...new Set([...DOOR_ERRORS, ...route.errors])]),
            },
          },
        },
      ];
    }),
  );
}

/** Scopes of a route; a key needs one of them. */
function scopesOf({ scope, orScope }: ExtRoute): Scope[] {
  return orScope === undefined ? [scope] : [scope, orScope];
}

/** Errors common to all of these endpoints. */
const DOOR_ERRORS = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'PAYLOAD_TOO_LARGE',
  'UNPROCESSABLE_ENTITY',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
] as const;
