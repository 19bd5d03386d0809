/** `/.well-known/oauth-authorization-server` (RFC 8414): the endpoints and what they accept. */
import type { FastifyInstance } from 'fastify';
import { allowAnyOrigin, answerPreflight } from './allow-any-origin.ts';

export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** Exactly the contract's nine fields, plus the one that RFC 8414 requires (decision 9, D59). */
export function authorizationServerMetadata(apiOrigin: string, appUrl: string): Readonly<Record<string, unknown>> {
  const oauth = `${apiOrigin}/v1/oauth`;
  return {
    issuer: apiOrigin,
    authorization_endpoint: `${appUrl}/oauth/authorize`,
    token_endpoint: `${oauth}/token`,
    device_authorization_endpoint: `${oauth}/device_authorization`,
    registration_endpoint: `${oauth}/register`,
    revocation_endpoint: `${oauth}/revoke`,
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_methods_supported: ['none'],
    response_types_supported: ['code'],
  };
}

export function serveMetadata(app: FastifyInstance, apiOrigin: string, appUrl: string): void {
  const metadata = authorizationServerMetadata(apiOrigin, appUrl);
  app.get(METADATA_PATH, { onRequest: allowAnyOrigin }, (_request, reply) => reply.send(metadata));
  answerPreflight(app, METADATA_PATH, 'GET');
}
