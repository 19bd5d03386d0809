/** Renames the organization. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { checkName } from '../check-account.ts';
import { findOrganization, lockOrganization, setOrganizationName } from '../organization.table.ts';
import { type OrganizationView, toOrganizationView } from '../organization-view.ts';

/** Safe to repeat. Fails with `VALIDATION_ERROR` for an invalid name. */
export function renameOrganization(context: SubgraphContext, input: string): Promise<OrganizationView> {
  const name = checkName('name', input);
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, organizationId);
    if (await setOrganizationName(tx, organizationId, name))
      await recordAudit(tx, {
        organizationId,
        at: now(),
        action: 'organization.renamed',
        ...actorOf(context.principal),
        subjectId: organizationId,
        detail: name,
      });
    const organization = await findOrganization(tx, organizationId);
    return toOrganizationView(organization ?? fail('NOT_FOUND', 'There is no such organization'));
  });
}
