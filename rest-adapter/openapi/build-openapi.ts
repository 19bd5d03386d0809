/** The OpenAPI 3.1 document, made of the same routes that answer. Points that the contract leaves open carry `x-open-point`. */
import { cookieName, SESSION_COOKIE } from '../../schema/session-cookie.ts';
import { SCOPES } from '../../schema/scopes.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { ParameterDescription } from '../params/parameter.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../route-table.ts';
import { API_KEY_PATHS } from './api-keys.ts';
import { ERROR_SCHEMA, FLAT_ERROR_SCHEMA } from './errors.ts';
import { INGESTION_PATHS } from './ingestion.ts';
import { OAUTH_ERROR_SCHEMA, oauthPaths } from './oauth.ts';
import { OAUTH_REFUSALS } from './oauth-refusals.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';
import { describeTags } from './tags.ts';

/** The dated version of the public API. */
const API_VERSION = '2025-10-18';

export function buildOpenApi(apiOrigin: string): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Usage cost and margin tracking',
      version: API_VERSION,
      description: 'Signed usage events in, exact costs and margins out. A member with `x-open-point` is this implementation\'s choice where the contract is open.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${apiOrigin}/v1` }],
    security: [{ apiKey: [] }],
    tags: describeTags(['Ingestion', ...ROUTES.map(({ tag }) => tag), 'API keys', 'OAuth']),
    paths: {
      ...Object.fromEntries(ROUTES.map((route) => [openApiPath(route.url), { get: operation(route) }])),
      ...INGESTION_PATHS,
      ...API_KEY_PATHS,
      ...oauthPaths(apiOrigin),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: `An API key (sk_live_… or sk_test_…). Scopes: ${SCOPES.join(', ')}.` },
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: `Of a sign-in to the dashboard. Over https it is called ${cookieName(SESSION_COOKIE, true)}.` },
      },
      schemas: { Error: ERROR_SCHEMA, SignatureError: FLAT_ERROR_SCHEMA, OAuthError: OAUTH_ERROR_SCHEMA },
      responses: OAUTH_REFUSALS,
      headers: {
        ...RATE_LIMIT_HEADERS,
        'X-Correlation-ID': { description: 'Ties the answer to the logs; the same as error.correlationId.', schema: { type: 'string' } },
      },
    },
  };
}

function operation(route: Route): JsonSchema {
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, route.scope ? `Needs the scope \`${route.scope}\`.` : 'Any valid key will do.'].filter(Boolean).join(' '),
    ...(route.parameters.describe.length > 0 ? { parameters: route.parameters.describe.map(parameter) } : {}),
    responses: {
      200: {
        description: 'The answer.',
        headers: { ...CORRELATION_HEADER, ...headerReferences() },
        content: { 'application/json': { schema: route.response } },
      },
      // Every read may take too long.
      ...errorResponses([...new Set([...route.errors, 'UNPROCESSABLE_ENTITY' as const])]),
    },
  };
}

function parameter({ openPoint, ...description }: ParameterDescription): JsonSchema {
  return { ...description, ...(openPoint ? { 'x-open-point': openPoint } : {}) };
}

function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}
