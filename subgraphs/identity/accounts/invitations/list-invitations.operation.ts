/** Lists invitations that can still be accepted, newest first. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { listOpenInvitations } from './invitation.table.ts';
import { type InvitationView, toInvitation } from './to-invitation.ts';

export async function listInvitations(context: SubgraphContext): Promise<InvitationView[]> {
  const organizationId = organizationOf(context);
  const invitations = await context.database.write(organizationId, (tx) =>
    listOpenInvitations(tx, { organizationId }, now()),
  );
  return invitations.map(toInvitation);
}
