/** Alerting's access to the graph: a client on behalf of one organization. */
import type { OrganizationId } from '#kernel/ids.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { type Principal, readerPrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { KnownError } from '#kernel/errors.ts';
import type { GraphqlDocument } from '#schema/graphql.ts';
import { graphql } from '#schema/graphql.ts';
import { OWN_GRANTS } from '#schema/subgraph-names.ts';

/** Sends a document on behalf of one organization. */
export type ReadGraph = <Data, Variables extends object>(
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
) => Promise<Data>;

const NAME = 'alerting';
const GRANTS = OWN_GRANTS[NAME] ?? [];

export function readerOf(gateway: GatewayClient, organizationId: OrganizationId): ReadGraph {
  return (document, variables) => askGateway(gateway, document, variables, readerPrincipalOf(organizationId));
}

export function readerPrincipalOf(organizationId: OrganizationId): Principal {
  return readerPrincipal(NAME, organizationId, GRANTS, randomUuid());
}

const ORGANIZATIONS = graphql('query WatchedOrganizations($after: ID) { organizationIds(after: $after) }');

/** Ids of the organizations after `after`, in order; an empty page is the end. */
export async function listOrganizationIds(gateway: GatewayClient, after: string | null): Promise<readonly string[]> {
  const principal = readerPrincipal(NAME, null, GRANTS, randomUuid());
  return (await askGateway(gateway, ORGANIZATIONS, { after }, principal)).organizationIds;
}

/**
 * True if a rule names something that no longer exists, or needs too much. Retrying does not help until that is fixed.
 */
export function isRefusal(error: unknown): error is KnownError {
  return error instanceof KnownError && ['NOT_FOUND', 'UNPROCESSABLE_ENTITY', 'VALIDATION_ERROR'].includes(error.code);
}
