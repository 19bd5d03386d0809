/** The gateway for whoever runs in the same process. */
import type { GatewayClient } from '../platform/gateway-client.ts';
import { authenticate } from './authenticate.ts';
import type { Gateway, SubgraphTransports } from './create-gateway.ts';

export function localGatewayClient(gateway: Gateway, transports: SubgraphTransports): GatewayClient {
  return {
    authenticate: (credential, correlationId) => authenticate(transports.identity, credential, correlationId),
    execute: (document, variables, principal) => gateway.execute(document, variables as Record<string, unknown>, principal),
    close: async () => {},
  };
}
