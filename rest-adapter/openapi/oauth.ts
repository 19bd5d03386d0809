/** The OAuth endpoints and their metadata, described. What the contract does not show of them is marked as ours. */
import { array, integer, type JsonSchema, object, text } from '../json-schema.ts';
import { authorizationServerMetadata, METADATA_PATH } from '../oauth/serve-metadata.ts';
import { CORRELATION_HEADER, errorResponses } from './responses.ts';

const OURS = { 'x-open-point': 'D61' };
const SHARED = { tags: ['OAuth'], security: [] };

export const OAUTH_ERROR_SCHEMA = object({
  error: text('Branch on this: a code of RFC 6749, 7591, 8628 or 8707, such as `authorization_pending`.'),
  error_description: text('For developers.'),
});

const TOKEN = object({
  access_token: text('An ordinary API key.'),
  token_type: text('', { const: 'Bearer' }),
  expires_in: integer('Lifetime in seconds: 30 days for a code, 90 days for a device login.'),
  scope: text('What it grants, separated by spaces.'),
});

const CODE_REQUEST = object({
  grant_type: { const: 'authorization_code' },
  client_id: text('As registered.'),
  code: text('From the redirect; good for one use within 60 seconds.'),
  code_verifier: text('What the challenge was made of (RFC 7636).'),
  redirect_uri: text('As in the authorization request.'),
  resource: text('The service that the token is for (RFC 8707); this one.'),
}, ['redirect_uri', 'resource']);

const POLL_REQUEST = object({
  grant_type: { const: 'urn:ietf:params:oauth:grant-type:device_code' },
  client_id: text('As in the device authorization.'),
  device_code: text('From the device authorization. Poll every `interval` seconds; `slow_down` adds five.'),
});

const DEVICE_REQUEST = object({
  client_id: text('A registered client, or `cli`.'),
  machine_name: text('The key is named after it; default: the client\'s name.'),
  scope: text('Changes nothing: the four query scopes are issued.'),
}, ['machine_name', 'scope']);

const DEVICE_ANSWER = object({
  device_code: text('Presented at each poll.'),
  user_code: text('For the person: eight letters.', { pattern: '^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$' }),
  verification_uri: text('Where the person enters it.'),
  verification_uri_complete: text('The same with the code filled in.'),
  expires_in: integer('Lifetime in seconds.'),
  interval: integer('Seconds between two polls.'),
});

const CLIENT_REQUEST = object({
  redirect_uris: array(text('https, or http on a loopback address; matched exactly.'), 'At most ten.'),
  client_name: text('As people will see it.'),
  grant_types: array(text('')),
  response_types: array(text('')),
}, ['client_name', 'grant_types', 'response_types']);

const CLIENT_ANSWER = object({
  client_id: text('The client\'s id; it has no secret.'),
  client_id_issued_at: integer('Seconds since 1970.'),
  client_name: text('As people will see it.'),
  redirect_uris: array(text('As sent.')),
  grant_types: array(text('Of those asked for, the ones that exist here.')),
  response_types: array(text('')),
  token_endpoint_auth_method: text('', { const: 'none' }),
});

const METADATA = object(Object.fromEntries(Object.entries(authorizationServerMetadata('', ''))
  .map(([name, value]) => [name, Array.isArray(value) ? array({ type: 'string' }) : { type: 'string' }])));

export function oauthPaths(apiOrigin: string): JsonSchema {
  return {
    '/oauth/token': {
      post: {
        ...SHARED,
        operationId: 'issueToken',
        summary: 'Gives an API key for an authorization code or a device code',
        requestBody: { ...form({ oneOf: [CODE_REQUEST, POLL_REQUEST] }), ...OURS },
        responses: { 200: { ...answer('The key.', TOKEN), ...OURS }, ...refusals([400, 413, 415, 500, 503]) },
      },
    },
    '/oauth/device_authorization': {
      post: {
        ...SHARED,
        operationId: 'authorizeDevice',
        summary: 'Begins a device login',
        requestBody: { ...form(DEVICE_REQUEST), 'x-open-point': 'D60' },
        responses: { 200: { ...answer('Show the code, then poll the token endpoint.', DEVICE_ANSWER), 'x-open-point': 'D60' }, ...refusals([400, 413, 415, 429, 500, 503]) },
      },
    },
    '/oauth/register': {
      post: {
        ...SHARED,
        operationId: 'registerClient',
        summary: 'Registers a public client',
        requestBody: { required: true, content: { 'application/json': { schema: CLIENT_REQUEST } }, ...OURS },
        responses: { 201: { ...answer('The client.', CLIENT_ANSWER), ...OURS }, ...refusals([400, 413, 415, 429, 500, 503]) },
      },
    },
    '/oauth/revoke': {
      post: {
        ...SHARED,
        security: [{ apiKey: [] }, {}],
        operationId: 'revokeToken',
        summary: 'Ends the presented key',
        description: 'The token is the bearer credential, or the form field `token`; the bearer decides when both are there.',
        requestBody: { ...form(object({ token: text('') }, ['token'])), required: false, 'x-open-point': 'D55' },
        responses: { 200: answer('The token is of no use from now on, whatever it was.', { type: 'object' }), ...errorResponses(['VALIDATION_ERROR', 'UNAUTHORIZED', 'PAYLOAD_TOO_LARGE']) },
      },
    },
    [METADATA_PATH]: {
      get: {
        ...SHARED,
        servers: [{ url: apiOrigin, description: 'At the root.' }],
        operationId: 'getAuthorizationServerMetadata',
        summary: 'Says where the OAuth endpoints are and what they take',
        responses: { 200: { description: 'The metadata (RFC 8414).', content: { 'application/json': { schema: METADATA } }, 'x-open-point': 'D59' } },
      },
    },
  };
}

function form(schema: JsonSchema): JsonSchema {
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema } } };
}

function answer(description: string, schema: JsonSchema): JsonSchema {
  return { description, headers: CORRELATION_HEADER, content: { 'application/json': { schema } } };
}

/** The statuses on which a refusal in the shape of the RFCs can come. */
function refusals(statuses: readonly number[]): JsonSchema {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/OAuth${status}` }]));
}
