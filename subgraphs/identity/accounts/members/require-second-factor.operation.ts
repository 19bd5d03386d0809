/**
 * Sets whether every account user of the organization needs a second factor. Takes effect from the next request on,
 * also in open sessions.
 */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import { sessionCaller } from '../../sessions/session-caller.ts';
import { hasSecondFactor } from '../../sessions/second-factors/passkey.table.ts';
import { findOrganization, lockOrganization, setSecondFactorRequired } from '../organization.table.ts';
import { type OrganizationView, toOrganizationView } from '../organization-view.ts';
import { requireStepUp } from './manage-account-user.step.ts';

/**
 * An owner must first set up a second factor of their own, and so sees what others will see. API keys are not affected.
 * Safe to repeat.
 */
export function requireSecondFactor(context: SubgraphContext, isRequired: boolean): Promise<OrganizationView> {
  const organizationId = organizationOf(context);
  const { principal, database } = context;
  return database.write(organizationId, async (tx) => {
    await lockOrganization(tx, organizationId);
    await requireStepUp(tx, context);
    if (isRequired && principal.kind === 'session') {
      if (!(await hasSecondFactor(tx, organizationId, sessionCaller(principal).accountUserId)))
        fail('VALIDATION_ERROR', 'Set up your own second factor first');
    }
    const at = now();
    if (await setSecondFactorRequired(tx, organizationId, isRequired ? at : null))
      await recordAudit(tx, {
        organizationId,
        at,
        action: isRequired ? 'organization.second_factor_required' : 'organization.second_factor_optional',
        ...actorOf(principal),
        subjectId: organizationId,
      });
    const organization = await findOrganization(tx, organizationId);
    return toOrganizationView(organization ?? fail('NOT_FOUND', 'There is no such organization'));
  });
}
