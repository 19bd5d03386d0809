/** Exports stop when the person who saved them may no longer export. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { readerPrincipalOf } from '../figures/graph-reader.step.ts';

const ROLE = internalGraphql('query ExporterRole($id: ID!) { accountUserRole(id: $id) }');

/** True for owners and admins of the organization who are not disabled. */
export async function mayExport(gateway: GatewayClient, organizationId: string, id: string): Promise<boolean> {
  const { accountUserRole } = await askGateway(gateway, ROLE, { id }, readerPrincipalOf(organizationId));
  return accountUserRole === 'OWNER' || accountUserRole === 'ADMIN';
}
