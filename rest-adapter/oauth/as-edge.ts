/** The OAuth endpoints ask in the name of our own edge: anyone who calls them has no credential yet. */
import type { FastifyRequest } from 'fastify';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import { servicePrincipal } from '../../platform/principal.ts';
import { askGateway } from '../../platform/ask-gateway.ts';
import type { GraphqlDocument } from '../../schema/graphql.ts';

/** The data of a document of our own; fails as `askGateway` does. */
export type EdgeClient = <Data, Variables extends object>(
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
) => Promise<Data>;

export function asEdge(gateway: GatewayClient, { correlationId }: FastifyRequest): EdgeClient {
  return (document, variables) => askGateway(gateway, document, variables, servicePrincipal('edge', correlationId));
}
