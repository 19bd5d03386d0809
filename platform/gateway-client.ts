/** How adapter, dashboard, MCP and the follower reach the gateway: in this process or over HTTP. */
import type { GraphqlDocument } from '../schema/graphql.ts';
import type { Principal } from './principal.ts';
import type { GraphQLAnswer } from './transports/subgraph-transport.ts';

/** What a caller presents. */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: string; readonly organizationId: string | null }
  | { readonly kind: 'session'; readonly token: string };

export interface GatewayClient {
  /** Asks identity whose credential this is; `null` when it opens nothing. Nothing is remembered between two calls. */
  authenticate(credential: Credential, correlationId: string): Promise<Principal | null>;
  /** Runs one of our own documents. Errors have passed the allow-list. */
  execute<Data, Variables extends object>(
    document: GraphqlDocument<Data, Variables>,
    variables: NoInfer<Variables>,
    principal: Principal,
  ): Promise<GraphQLAnswer<Data>>;
  close(): Promise<void>;
}
