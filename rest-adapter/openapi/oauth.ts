/**
 * OpenAPI description of the OAuth endpoints and their metadata. Parts that the contract does not show are marked as
 * ours.
 */
import type { GraphQLSchema } from 'graphql';
import type { JsonSchema } from '../json-schema.ts';
import { authorizationServerMetadata, METADATA_PATH } from '../oauth/serve-metadata.ts';
import { START_DEVICE_LOGIN } from '../routes/oauth/device-authorization.ts';
import { REGISTER_CLIENT } from '../routes/oauth/register.ts';
import { EXCHANGE_CODE } from '../routes/oauth/token.ts';
import { type Components, deriveSchema } from './derive-schema.ts';
import {} from './oauth-schemas.ts';
import { CORRELATION_HEADER, errorResponses } from './responses.ts';

const REFUSAL_CODES: Readonly<Record<string, string>> = {
  400: 'authorization_pending',
  413: 'invalid_request',
  415: 'invalid_request',
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

const REFUSAL_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'Refused: `error` says why.',
  413: '`invalid_request`: the body is too large.',
  415: '`invalid_request`: the body has an unsupported type.',
  429: '`temporarily_unavailable`: too many requests from this address; wait as Retry-After says.',
  500: '`server_error`: an error in the service.',
  503: '`temporarily_unavailable`: part of the service is unavailable; wait as Retry-After says.',
};

/** Refusals of the OAuth endpoints, one per status. */
export const OAUTH_REFUSALS: JsonSchema = Object.fromEntries(
  Object.entries(REFUSAL_DESCRIPTIONS).map(([status, description]) => [
    `OAuth${status}`,
    {
      description,
      headers: {
        ...CORRELATION_HEADER,
        ...(status === '429' || status === '503'
          ? { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } }
          : {}),
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/OAuthError' },
          example: { error: REFUSAL_CODES[status], error_description: description.replace(/^`\w+`: /, '') },
        },
      },
    },
  ]),
);

const OURS = { 'x-open-point': 'D61' };
const SHARED = { tags: ['OAuth'], security: [] };

const component = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Omitted from every OAuth response: refusals are separate responses, and nulls are left out. */
const ANSWER = { answer: ['answer'], leftOut: ['error', 'error_description'], isWhole: true };

const CLIENT_ID = '8c1f7d2e-6b3a-4e5f-9a70-1d2c3b4a5f60';
const CLIENT = {
  client_name: 'Report builder',
  redirect_uris: ['https://reports.example/callback'],
  grant_types: ['authorization_code'],
  response_types: ['code'],
};
const TOKEN_ANSWER = {
  access_token: 'An API key',
  token_type: 'Bearer',
  expires_in: 2_592_000,
  scope: 'costs:read usage:read',
};
const TOKEN_REQUEST = {
  grant_type: 'authorization_code',
  client_id: CLIENT_ID,
  code: 'The code of the redirect',
  code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  redirect_uri: 'https://reports.example/callback',
};
const DEVICE = {
  device_code: 'A secret of the device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://books.example/activate',
  verification_uri_complete: 'https://books.example/activate?user_code=WDJB-MJHT',
  expires_in: 900,
  interval: 5,
};

export function oauthPaths(apiOrigin: string, api: GraphQLSchema, components: Components): JsonSchema {
  const token = deriveSchema(api, components, { ...ANSWER, document: EXCHANGE_CODE });
  const device = deriveSchema(api, components, { ...ANSWER, document: START_DEVICE_LOGIN });
  const client = deriveSchema(api, components, { ...ANSWER, document: REGISTER_CLIENT });
  return {
    '/oauth/token': {
      post: {
        ...SHARED,
        operationId: 'issueToken',
        summary: 'Exchange an authorization code or a device code for an API key',
        description: 'As in RFC 6749. A code works once; a device login yields one key.',
        requestBody: {
          ...form({ oneOf: [component('CodeTokenRequest'), component('DeviceTokenRequest')] }, TOKEN_REQUEST),
          ...OURS,
        },
        responses: {
          200: { ...answer('The key.', token, TOKEN_ANSWER), ...OURS },
          ...refusals([400, 413, 415, 500, 503]),
        },
      },
    },
    '/oauth/device_authorization': {
      post: {
        ...SHARED,
        operationId: 'authorizeDevice',
        summary: 'Start a device login',
        description: 'Returns a code that the person enters at `verification_uri` (RFC 8628).',
        requestBody: {
          ...form(component('DeviceAuthorizationRequest'), { client_id: 'cli', machine_name: 'build server' }),
          'x-open-point': 'D60',
        },
        responses: {
          200: { ...answer('Show the code, then poll the token endpoint.', device, DEVICE), 'x-open-point': 'D60' },
          ...refusals([400, 413, 415, 429, 500, 503]),
        },
      },
    },
    '/oauth/register': {
      post: {
        ...SHARED,
        operationId: 'registerClient',
        summary: 'Register a public client',
        description: 'As in RFC 7591. A client has no secret and uses PKCE.',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: component('ClientRegistrationRequest'), example: CLIENT } },
          ...OURS,
        },
        responses: {
          201: {
            ...answer('The client.', client, {
              client_id: CLIENT_ID,
              client_id_issued_at: 1_768_471_200,
              ...CLIENT,
              token_endpoint_auth_method: 'none',
            }),
            ...OURS,
          },
          ...refusals([400, 413, 415, 429, 500, 503]),
        },
      },
    },
    '/oauth/revoke': {
      post: {
        ...SHARED,
        security: [{ apiKey: [] }, {}],
        operationId: 'revokeToken',
        summary: 'Revoke the presented key',
        description:
          'The token is the bearer credential or the form field `token`; if both are given, the bearer credential is used.',
        requestBody: {
          ...form(component('RevocationRequest'), { token: 'An API key' }),
          required: false,
          'x-open-point': 'D55',
        },
        responses: {
          200: answer('The token is no longer valid, whatever it was.', { type: 'object' }, {}),
          ...errorResponses(['VALIDATION_ERROR', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE']),
        },
      },
    },
    [METADATA_PATH]: {
      get: {
        ...SHARED,
        servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
        operationId: 'getAuthorizationServerMetadata',
        summary: 'Metadata of the OAuth endpoints',
        description: 'For clients that know only the address of the service (RFC 8414).',
        responses: {
          200: {
            description: 'The metadata (RFC 8414).',
            content: {
              'application/json': {
                schema: component('AuthorizationServerMetadata'),
                example: authorizationServerMetadata('https://books.example', 'https://books.example'),
              },
            },
            'x-open-point': 'D59',
          },
        },
      },
    },
  };
}

function form(schema: JsonSchema, example: object): JsonSchema {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema, example } } };
}

function answer(description: string, schema: JsonSchema, example: object): JsonSchema {
  return { description, headers: CORRELATION_HEADER, content: { 'application/json': { schema, example } } };
}

/** The given statuses, with a refusal in the shape of the RFCs. */
function refusals(statuses: readonly number[]): JsonSchema {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/OAuth${status}` }]));
}
