/** How the REST adapter, the dashboard, MCP and the consumer of the feed call the gateway: in process or over HTTP. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { Principal } from './principal.ts';
import type { GraphQLAnswer } from './transports/subgraph-transport.ts';

/** A caller's credential. */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string; readonly organizationId: OrganizationId | null }
  | { readonly kind: 'session'; readonly token: string };

export interface GatewayClient {
  /** Asks identity whose credential this is; `null` if it is not valid. Results are not cached. */
  authenticate(credential: Credential, correlationId: string): Promise<Principal | null>;
  /** Runs one of our own documents. Errors have been filtered. */
  execute<Data, Variables extends object>(
    document: GraphqlDocument<Data, Variables>,
    variables: NoInfer<Variables>,
    principal: Principal,
  ): Promise<GraphQLAnswer<Data>>;
  close(): Promise<void>;
}
