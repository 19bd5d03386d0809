/** The graph as alerting reads it: a client in the name of one organization. */
import { askGateway } from '../../../platform/ask-gateway.ts';
import type { GatewayClient } from '../../../platform/gateway-client.ts';
import { readerPrincipal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import { KnownError } from '../../../schema/errors.ts';
import type { GraphqlDocument } from '../../../schema/graphql.ts';
import { graphql } from '../../../schema/graphql.ts';
import { OWN_GRANTS } from '../../../schema/subgraph-names.ts';

/** Asks a document in the name of one organization. */
export type ReadGraph = <Data, Variables extends object>(
  document: GraphqlDocument<Data, Variables>,
  variables: NoInfer<Variables>,
) => Promise<Data>;

const NAME = 'alerting';
const GRANTS = OWN_GRANTS[NAME] ?? [];

export function readerOf(gateway: GatewayClient, organizationId: string): ReadGraph {
  return (document, variables) =>
    askGateway(gateway, document, variables, readerPrincipal(NAME, organizationId, GRANTS, randomUuid()));
}

const ORGANIZATIONS = graphql('query WatchedOrganizations($after: ID) { organizationIds(after: $after) }');

/** Ids of organizations in their order, those after `after`; an empty page is the end. */
export async function listOrganizationIds(gateway: GatewayClient, after: string | null): Promise<readonly string[]> {
  const principal = readerPrincipal(NAME, null, GRANTS, randomUuid());
  return (await askGateway(gateway, ORGANIZATIONS, { after }, principal)).organizationIds;
}

/** Of a rule that names what is not there any more, or too much: it can be judged when that is put right, and no sooner. */
export function isRefusal(error: unknown): error is KnownError {
  return error instanceof KnownError && ['NOT_FOUND', 'UNPROCESSABLE_ENTITY', 'VALIDATION_ERROR'].includes(error.code);
}
