/** Sets the month in which the organization's fiscal year begins. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { findOrganization, lockOrganization, setFiscalYearStart } from '../organization.table.ts';
import { type OrganizationView, toOrganizationView } from '../organization-view.ts';

/** Safe to repeat. Fails with `VALIDATION_ERROR` if `firstMonth` is not from 1 to 12. */
export function setFiscalYear(context: SubgraphContext, firstMonth: number): Promise<OrganizationView> {
  if (!Number.isInteger(firstMonth) || firstMonth < 1 || firstMonth > 12)
    fail('VALIDATION_ERROR', 'firstMonth must be from 1 (January) to 12 (December)');
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, organizationId);
    if (await setFiscalYearStart(tx, organizationId, firstMonth))
      await recordAudit(tx, {
        organizationId,
        at: now(),
        action: 'organization.fiscal_year_set',
        ...actorOf(context.principal),
        subjectId: organizationId,
        detail: String(firstMonth),
      });
    const organization = await findOrganization(tx, organizationId);
    return toOrganizationView(organization ?? fail('NOT_FOUND', 'There is no such organization'));
  });
}
