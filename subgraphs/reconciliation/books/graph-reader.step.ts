/** Reads the graph on behalf of one organization. */
import type { OrganizationId } from '#kernel/ids.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { readerPrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import { OWN_GRANTS } from '#schema/subgraph-names.ts';

export type ReadGraph = <Data, Variables extends object>(
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
) => Promise<Data>;

const NAME = 'reconciliation';

export function readerOf(gateway: GatewayClient, organizationId: OrganizationId): ReadGraph {
  return (document, variables) =>
    askGateway(
      gateway,
      document,
      variables,
      readerPrincipal(NAME, organizationId, OWN_GRANTS[NAME] ?? [], randomUuid()),
    );
}
