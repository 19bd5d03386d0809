/**
 * The OpenAPI 3.1 document, generated from the served routes and the graph behind their documents. `npm run generate`
 * writes it to `schema/openapi.json`, which the service returns. Points that the contract leaves open are marked with
 * `x-open-point`.
 */
import type { GraphQLSchema } from 'graphql';
import { cookieName, SESSION_COOKIE } from '#schema/session-cookie.ts';
import { SCOPES } from '#schema/scopes.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { ParameterDescription } from '../params/parameter.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../route-table.ts';
import { apiKeyPaths } from './api-keys.ts';
import { billPaths } from './bills.ts';
import { eventEndpointPaths } from './event-endpoints.ts';
import { outcomePaths } from './outcomes.ts';
import { exportPaths } from './exports.ts';
import { extPaths } from './ext.ts';
import { type Components, deriveSchema, newComponents } from './derive-schema.ts';
import { ERROR_SCHEMA, FLAT_ERROR_SCHEMA } from './errors.ts';
import { INGESTION_PATHS, INGESTION_SCHEMAS } from './ingestion.ts';
import { OAUTH_REFUSALS, oauthPaths } from './oauth.ts';
import { OAUTH_SCHEMAS } from './oauth-schemas.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';
import { CORRELATION_HEADER, errorComponents, errorResponses, headerReferences } from './responses.ts';

const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Ingestion: 'Sending usage events: signed, deduplicated, safe to resend.',
  OAuth: 'Keys for programs that people authorize: the authorization code grant with PKCE, and the device grant.',
  'API keys': 'Managing keys in a browser session.',
  Ping: 'Checking a key and its permissions.',
  'Cost data': 'Costs by time, provider and model.',
  'End-user costs': 'Costs of one end user.',
  Attribution: 'Costs by agent and other attribution keys.',
  Dimensions: 'Costs by registered metadata keys.',
  Usage: 'Recorded usage events and their totals.',
  Margin: 'Revenue, cost and margin by end user and for the organization.',
  'Rate cards': 'Current rates, for estimates before a call.',
  Alerts: 'Open alerts, and insights about notable changes.',
  Outcomes: 'Completed tasks, and what they cost.',
  Currencies: 'Margins in the reporting currency of the organization.',
  'Fixed costs': 'What is paid whether it is used or not, and the share of each end user.',
  Bills: "Providers' bills, compared with the books.",
  Exports: 'Report tables as files, for finance and BI.',
};

/** The dated version of the public API. */
const API_VERSION = '2025-10-18';

/** Throws if a route does not match the graph, or if a refinement of the contract applies to no response. */
export function buildOpenApi(apiOrigin: string, api: GraphQLSchema): JsonSchema {
  const components = newComponents();
  const paths = {
    ...Object.fromEntries(ROUTES.map((route) => [openApiPath(route.url), { get: operation(route, api, components) }])),
    ...INGESTION_PATHS,
    ...eventEndpointPaths(apiOrigin),
    ...outcomePaths(apiOrigin),
    ...billPaths(apiOrigin),
    ...extPaths(apiOrigin, api, components),
    ...exportPaths(apiOrigin),
    ...apiKeyPaths(api, components),
    ...oauthPaths(apiOrigin, api, components),
  };
  const unmet = components.unmet();
  if (unmet.length > 0)
    throw new Error(
      `No response of the REST API contains ${unmet.join(', ')}: remove it from rest-adapter/openapi/refinements.ts`,
    );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Usage cost and margin tracking',
      version: API_VERSION,
      description:
        'Send signed usage events, read exact costs and margins. `x-open-point` marks a choice of this implementation that the contract leaves open.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${apiOrigin}/v1` }],
    security: [{ apiKey: [] }],
    tags: describeTags([
      'Ingestion',
      ...ROUTES.map(({ tag }) => tag),
      'API keys',
      'OAuth',
      'Alerts',
      'Outcomes',
      'Fixed costs',
      'Currencies',
      'Bills',
      'Exports',
    ]),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key (sk_live_… or sk_test_…). Scopes: ${SCOPES.join(', ')}.`,
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: `Session of a dashboard sign-in. Over https its name is ${cookieName(SESSION_COOKIE, true)}.`,
        },
      },
      schemas: {
        ...Object.fromEntries(components.schemas),
        ...INGESTION_SCHEMAS,
        ...OAUTH_SCHEMAS,
        Error: ERROR_SCHEMA,
        SignatureError: FLAT_ERROR_SCHEMA,
      },
      responses: { ...errorComponents(), ...OAUTH_REFUSALS },
      headers: {
        ...RATE_LIMIT_HEADERS,
        'X-Correlation-ID': {
          description: 'Identifies the request in the logs; the same as error.correlationId.',
          schema: { type: 'string' },
        },
      },
    },
  };
}

function operation(route: Route, api: GraphQLSchema, components: Components): JsonSchema {
  const { document, answer, lists = {}, summary, example } = route;
  const schema = deriveSchema(api, components, { document, answer, lists, summary });
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [
      route.description,
      route.scope ? `Requires the scope \`${route.scope}\`.` : 'Any valid key is accepted.',
    ]
      .filter(Boolean)
      .join(' '),
    security: [{ apiKey: route.scope ? [route.scope] : [] }],
    ...(route.parameters.describe.length > 0
      ? { parameters: route.parameters.describe.map((description) => parameter(description, example.parameters)) }
      : {}),
    responses: {
      200: {
        description: 'The response.',
        headers: { ...CORRELATION_HEADER, ...headerReferences() },
        content: { 'application/json': { schema, example: example.response } },
      },
      // Every read may exceed its time limit.
      ...errorResponses([...new Set([...route.errors, 'UNPROCESSABLE_ENTITY' as const])]),
    },
  };
}

function parameter(
  { openPoint, ...description }: ParameterDescription,
  { [description.name]: example }: Readonly<Record<string, string>>,
): JsonSchema {
  const shown = description.schema['type'] === 'integer' ? Number(example) : example;
  return {
    ...description,
    ...(example === undefined ? {} : { example: shown }),
    ...(openPoint ? { 'x-open-point': openPoint } : {}),
  };
}

function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}

/**
 * Returns the descriptions of the endpoint groups, in the order in which routes first mention them. Throws for a tag
 * without a description.
 */
function describeTags(names: readonly string[]): JsonSchema[] {
  return [...new Set(names)].map((name) => {
    const description = TAG_DESCRIPTIONS[name];
    if (description === undefined) throw new Error(`The tag ${name} has no description`);
    return { name, description };
  });
}
