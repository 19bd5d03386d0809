/**
 * Finds an account user by id or e-mail address: in the caller's organization, or in any for an operator without one.
 */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { type ListedAccountUser, listAccountUsers } from '../account-user.table.ts';
import { canonicalEmail } from '../canonical-email.ts';
import { isUuid } from '#kernel/uuid.ts';

/** Returns `null` if there is none. Fails with `VALIDATION_ERROR` unless exactly one of the two is given. */
export async function findAccountUser(
  { database, principal }: SubgraphContext,
  id: string | null,
  typed: string | null,
): Promise<ListedAccountUser | null> {
  if ((id === null) === (typed === null)) return fail('VALIDATION_ERROR', 'Give either id or email');
  const email = typed === null ? null : canonicalEmail(typed);
  if (id === null ? email === null : !isUuid(id)) return null;
  const { organizationId } = principal;
  const filter = {
    ...(organizationId === null ? {} : { organizationId }),
    ...(id === null ? {} : { id }),
    ...(email === null ? {} : { email }),
  };
  return (await database.system((tx) => listAccountUsers(tx, filter)))[0] ?? null;
}
