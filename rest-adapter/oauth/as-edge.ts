/** Client of the OAuth endpoints: it acts as our own edge, since their callers have no credential yet. */
import type { FastifyRequest } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';

/** Returns the data of one of our own documents; fails like `askGateway`. */
export type EdgeClient = <Data, Variables extends object>(
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
) => Promise<Data>;

export function asEdge(gateway: GatewayClient, { correlationId }: FastifyRequest): EdgeClient {
  return (document, variables) => askGateway(gateway, document, variables, servicePrincipal('edge', correlationId));
}
