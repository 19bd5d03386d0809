/** Exports stop when the person who saved them may no longer export. */
import type { OrganizationId } from '#kernel/ids.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { readerPrincipalOf } from '../figures/graph-reader.step.ts';

const ROLE = internalGraphql('query ExporterRole($id: ID!) { accountUserRole(id: $id) }');

/** True for owners and admins of the organization who are not disabled. */
export async function mayExport(gateway: GatewayClient, organizationId: OrganizationId, id: string): Promise<boolean> {
  const { accountUserRole } = await askGateway(gateway, ROLE, { id }, readerPrincipalOf(organizationId));
  return accountUserRole === 'OWNER' || accountUserRole === 'ADMIN';
}
