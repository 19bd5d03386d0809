/** The way to another's account: whose it is, whether the caller may, and how long ago the caller signed in. */
import { now } from '../../../../platform/clock.ts';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../../schema/errors.ts';
import { isUuid } from '../../secrets/is-uuid.ts';
import { mayManage } from './may-manage.ts';
import { type AccountUser, countOwners, findAccountUser, organizationOfAccountUser } from '../account-user.table.ts';
import { lockOrganization } from '../organization.table.ts';
import { requireRecentSignIn } from '../../sessions/require-step-up.step.ts';

/**
 * Runs `work` in a transaction that holds the organization's lock. An operator names the account user alone. Fails with
 * `NOT_FOUND`; with `FORBIDDEN` when the caller may not, or signed in too long ago; with `VALIDATION_ERROR` for the own account.
 */
export async function manageAccountUser<T>(
  context: SubgraphContext,
  id: string,
  work: (em: EntityManager, user: AccountUser, at: Date) => Promise<T>,
): Promise<T> {
  const { principal, database } = context;
  if (!isUuid(id)) return notFound();
  const organizationId =
    principal.kind === 'operator' && principal.organizationId === null
      ? ((await database.acrossOrganizations((em) => organizationOfAccountUser(em, id))) ?? notFound())
      : organizationOf(context);
  return database.forOrganization(organizationId, async (em) => {
    await lockOrganization(em, organizationId);
    const user = (await findAccountUser(em, organizationId, id)) ?? notFound();
    if (user.id === principal.accountUserId)
      fail('VALIDATION_ERROR', 'This is your own account: another owner can do this');
    if (!mayManage(principal, user.role)) fail('FORBIDDEN', 'Only an owner may do this to an owner or an admin');
    await requireStepUp(em, context);
    return work(em, user, now());
  });
}

/** Of a session; an operator's token has no sign-in. */
export async function requireStepUp(em: EntityManager, context: SubgraphContext): Promise<void> {
  if (context.principal.kind === 'session') await requireRecentSignIn(em, context, 'accounts of others are managed');
}

/** After a change, before it is committed. */
export async function requireOwner(em: EntityManager, organizationId: string): Promise<void> {
  if ((await countOwners(em, organizationId)) === 0)
    fail('VALIDATION_ERROR', 'An organization keeps at least one owner who can sign in');
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such account user');
}
