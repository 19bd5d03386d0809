/**
 * Authenticates the API key of a request: missing, malformed, unknown, revoked and expired keys get the same response.
 */
import type { FastifyRequest } from 'fastify';
import { bearerTokenOf } from '#kernel/bearer-token.ts';
import { fail } from '#kernel/errors.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
    /** The key itself, which signs ingestion requests. Never logged. */
    apiKey: string;
  }
}

/** Sets `request.principal` and `request.apiKey`, or fails with `UNAUTHORIZED`. */
export function authenticate(gateway: GatewayClient): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const token = bearerTokenOf(request.headers);
    if (token === undefined) fail('UNAUTHORIZED', 'Send an API key as "Authorization: Bearer <API_KEY>"');
    const principal = await gateway.authenticate(
      { kind: 'bearer', token, organizationId: null },
      request.correlationId,
    );
    if (principal?.kind !== 'api-key') fail('UNAUTHORIZED', 'The API key is invalid, revoked or expired');
    request.principal = principal;
    request.apiKey = token;
  };
}
