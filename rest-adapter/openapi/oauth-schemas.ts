/** Bodies of the OAuth endpoints: forms, client documents and refusals. */
import { array, type JsonSchema, object, text } from '../json-schema.ts';
import { authorizationServerMetadata } from '../oauth/serve-metadata.ts';

const OAUTH_ERROR_SCHEMA = {
  description: 'A refusal in the shape of the RFCs.',
  ...object({
    error: text('Branch on this: a code of RFC 6749, 7591, 8628 or 8707, such as `authorization_pending`.'),
    error_description: text('For developers.'),
  }),
};

const CODE_REQUEST = {
  description: 'An authorization code.',
  ...object(
    {
      grant_type: text('The code of a redirect.', { const: 'authorization_code' }),
      client_id: text('As registered.'),
      code: text('From the redirect; good for one use within 60 seconds.'),
      code_verifier: text('What the challenge was made of (RFC 7636).'),
      redirect_uri: text('As in the authorization request.'),
      resource: text('The service that the token is for (RFC 8707); this one.'),
    },
    ['redirect_uri', 'resource'],
  ),
};

const POLL_REQUEST = {
  description: 'A poll of a device login.',
  ...object({
    grant_type: text('The code of a device login.', { const: 'urn:ietf:params:oauth:grant-type:device_code' }),
    client_id: text('As in the device authorization.'),
    device_code: text('From the device authorization. Poll every `interval` seconds; `slow_down` adds five.'),
  }),
};

const DEVICE_REQUEST = {
  description: 'A device login that begins.',
  ...object(
    {
      client_id: text('A registered client, or `cli`.'),
      machine_name: text("The key is named after it; default: the client's name."),
      scope: text('Changes nothing: the four query scopes are issued.'),
    },
    ['machine_name', 'scope'],
  ),
};

const CLIENT_REQUEST = {
  description: 'The metadata of a client (RFC 7591).',
  ...object(
    {
      redirect_uris: array(text('https, or http on a loopback address; matched exactly.'), 'At most ten.'),
      client_name: text('As people will see it.'),
      grant_types: array({ type: 'string' }, 'The grants that it wants; those that exist here are taken.'),
      response_types: array({ type: 'string' }, 'What it wants of the authorization endpoint: `code`.'),
    },
    ['client_name', 'grant_types', 'response_types'],
  ),
};

const REVOCATION_REQUEST = {
  description: 'The token, where it is not the bearer credential.',
  ...object({ token: text('The key to end.') }, ['token']),
};

const METADATA = {
  description: 'The metadata of RFC 8414.',
  ...object(
    Object.fromEntries(
      Object.entries(authorizationServerMetadata('', '')).map(([name, value]) => {
        const description = `\`${name}\` of RFC 8414${name === 'device_authorization_endpoint' ? ' and RFC 8628' : ''}.`;
        return [name, Array.isArray(value) ? array({ type: 'string' }, description) : text(description)];
      }),
    ),
  ),
};

export const OAUTH_SCHEMAS: JsonSchema = {
  OAuthError: OAUTH_ERROR_SCHEMA,
  CodeTokenRequest: CODE_REQUEST,
  DeviceTokenRequest: POLL_REQUEST,
  DeviceAuthorizationRequest: DEVICE_REQUEST,
  ClientRegistrationRequest: CLIENT_REQUEST,
  RevocationRequest: REVOCATION_REQUEST,
  AuthorizationServerMetadata: METADATA,
};
