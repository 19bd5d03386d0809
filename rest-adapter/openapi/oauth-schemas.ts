/** Bodies of the OAuth endpoints: forms, client documents and refusals. */
import { array, type JsonSchema, object, text } from '../json-schema.ts';
import { authorizationServerMetadata } from '../oauth/serve-metadata.ts';

const OAUTH_ERROR_SCHEMA = {
  description: 'An error as defined in the RFCs.',
  ...object({
    error: text(
      'Error code of RFC 6749, 7591, 8628 or 8707, such as `authorization_pending`. Programs should check this.',
    ),
    error_description: text('For developers.'),
  }),
};

const CODE_REQUEST = {
  description: 'An authorization code.',
  ...object(
    {
      grant_type: text('The code from the redirect.', { const: 'authorization_code' }),
      client_id: text('As registered.'),
      code: text('From the redirect. Valid for one use within 60 seconds.'),
      code_verifier: text('The secret from which the challenge was derived (RFC 7636).'),
      redirect_uri: text('Must be the same as in the authorization request.'),
      resource: text('Address of the service that the token is for (RFC 8707): the address of this service.'),
    },
    ['redirect_uri', 'resource'],
  ),
};

const POLL_REQUEST = {
  description: 'A poll of a device login.',
  ...object({
    grant_type: text('The code of a device login.', { const: 'urn:ietf:params:oauth:grant-type:device_code' }),
    client_id: text('Must be the same as in the device authorization request.'),
    device_code: text('From the device authorization. Poll every `interval` seconds; `slow_down` adds five.'),
  }),
};

const DEVICE_REQUEST = {
  description: 'Start of a device login.',
  ...object(
    {
      client_id: text('A registered client, or `cli`.'),
      machine_name: text("The key is named after it; default: the client's name."),
      scope: text('Ignored: the four query scopes are issued.'),
    },
    ['machine_name', 'scope'],
  ),
};

const CLIENT_REQUEST = {
  description: 'The metadata of a client (RFC 7591).',
  ...object(
    {
      redirect_uris: array(text('https, or http on a loopback address; matched exactly.'), 'At most ten.'),
      client_name: text('Name shown to people.'),
      grant_types: array({ type: 'string' }, 'Requested grants; supported ones are registered.'),
      response_types: array({ type: 'string' }, 'Response types for the authorization endpoint: `code`.'),
    },
    ['client_name', 'grant_types', 'response_types'],
  ),
};

const REVOCATION_REQUEST = {
  description: 'The token, if it is not the bearer credential.',
  ...object({ token: text('The key to revoke.') }, ['token']),
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
