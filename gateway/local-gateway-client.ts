/** Gateway client for code in the same process. */
import type { Credential, GatewayClient } from '#platform/gateway-client.ts';
import { KnownError } from '#kernel/errors.ts';
import { type Principal, servicePrincipal } from '#platform/principal.ts';
import type { SubgraphTransport } from '#platform/transports/subgraph-transport.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { Gateway, SubgraphTransports } from './create-gateway.ts';

const WHOSE = internalGraphql(`query Whose($kind: String!, $token: String!, $organizationId: ID) {
  principal(kind: $kind, token: $token, organizationId: $organizationId)
}`);

export function localGatewayClient(gateway: Gateway, transports: SubgraphTransports): GatewayClient {
  const { identity } = transports;
  if (!identity) throw new Error('The subgraph identity, which authenticates credentials, is missing');
  return {
    authenticate: (credential, correlationId) => authenticate(identity, credential, correlationId),
    execute: (document, variables, principal) =>
      gateway.execute(document, variables as Record<string, unknown>, principal),
    close: async () => {},
  };
}

/**
 * Asks identity for the owner of a credential: the only request that bypasses the query planner.
 *
 * Returns `null` for an invalid credential. Nothing is cached: a revoked key is refused at once. Fails with
 * `SERVICE_UNAVAILABLE`.
 */
async function authenticate(
  identity: SubgraphTransport,
  credential: Credential,
  correlationId: string,
): Promise<Principal | null> {
  const organizationId = credential.kind === 'bearer' ? credential.organizationId : null;
  const variables = { kind: credential.kind, token: credential.token, organizationId };
  const { data, errors } = await identity.executeOwn(WHOSE, variables, servicePrincipal('gateway', correlationId));
  const away = errors?.find(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE');
  if (away) throw new KnownError('SERVICE_UNAVAILABLE', away.message);
  if (errors?.length) throw new Error('Identity returned an error');
  const principal = data?.['principal'] as Omit<Principal, 'correlationId'> | null;
  return principal === null ? null : Object.freeze({ ...principal, correlationId });
}
