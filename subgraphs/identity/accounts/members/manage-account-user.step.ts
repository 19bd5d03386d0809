/**
 * Checks for managing another account: who it is, whether the caller may manage it, and how recently the caller signed
 * in.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import { mayManage } from './may-manage.ts';
import { type AccountUser, countOwners, findAccountUser, organizationOfAccountUser } from '../account-user.table.ts';
import type { Role } from '../role.ts';
import { lockOrganization } from '../organization.table.ts';
import { checkOwnPassword, requireRecentSignIn } from '../../sessions/require-step-up.step.ts';

/**
 * Runs `work` in a transaction that holds the organization's lock. An operator needs only the account user's id.
 *
 * Fails with `NOT_FOUND`; with `FORBIDDEN` if the caller may not manage the account, signed in too long ago, or did
 * not give their own password for an owner (or for the `role` of an owner); and with `VALIDATION_ERROR` for their own
 * account.
 */
export async function manageAccountUser<T>(
  context: SubgraphContext,
  id: string,
  { ownPassword, role }: { readonly ownPassword: string | null; readonly role?: Role },
  work: (tx: WriteTransaction, user: AccountUser, at: Date) => Promise<T>,
): Promise<T> {
  const { principal, database } = context;
  if (!isUuid(id)) return notFound();
  const organizationId =
    principal.kind === 'operator' && principal.organizationId === null
      ? ((await database.system((tx) => organizationOfAccountUser(tx, id))) ?? notFound())
      : organizationOf(context);
  const proof = await proveOwnPassword(context, ownPassword);
  return database.write(organizationId, async (tx) => {
    await lockOrganization(tx, organizationId);
    const user = (await findAccountUser(tx, organizationId, id)) ?? notFound();
    if (user.id === principal.accountUserId)
      fail('VALIDATION_ERROR', 'This is your own account: another owner can do this');
    if (!mayManage(principal, user.role)) fail('FORBIDDEN', 'Only owners can manage owners, admins and finance users');
    await requireStepUp(tx, context);
    if (user.role === 'owner' || role === 'owner') requireOwnPassword(proof);
    return work(tx, user, now());
  });
}

/** Applies to sessions only; an operator token has no sign-in. */
export async function requireStepUp(tx: WriteTransaction, context: SubgraphContext): Promise<void> {
  if (context.principal.kind === 'session') await requireRecentSignIn(tx, context, 'managing other accounts');
}

/**
 * `proved` if the caller gave the right password, or is an operator, who has none; `missing` if none was given. Fails
 * with `VALIDATION_ERROR` if it is wrong.
 */
export async function proveOwnPassword(
  context: SubgraphContext,
  ownPassword: string | null,
): Promise<'proved' | 'missing'> {
  if (context.principal.kind !== 'session') return 'proved';
  if (ownPassword === null) return 'missing';
  await checkOwnPassword(context, ownPassword, { message: 'Your own password is wrong', field: 'ownPassword' });
  return 'proved';
}

/**
 * Required for actions that make or affect an owner, or delete the organization. A stolen cookie, however recent, must
 * not give access to an owner's account, which could lock the real owner out.
 */
export function requireOwnPassword(proof: 'proved' | 'missing'): void {
  if (proof === 'missing')
    fail(
      'FORBIDDEN',
      'Enter your own password: it is required to create or manage owners and to delete an organization',
      {
        actionHint: 'TYPE_OWN_PASSWORD',
      },
    );
}

/** Fails if the organization has no owner left who can sign in. Call it after a change, before it is committed. */
export async function requireOwner(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  if ((await countOwners(tx, organizationId)) === 0)
    fail('VALIDATION_ERROR', 'An organization must keep at least one owner who can sign in');
}

function notFound(): never {
  return fail('NOT_FOUND', 'There is no such account user');
}
