/**
 * Decides whose API keys a caller may see and revoke: owners, admins and operators all of the organization, members
 * their own.
 */
import type { Principal } from '#platform/principal.ts';

/** Returns the account user to whose keys the caller is limited; `null` if the caller may use all keys. */
export function keyOwnerFilter({ grants, accountUserId }: Principal): string | null {
  if (['operator', 'owner', 'admin'].some((grant) => grants.includes(grant))) return null;
  return accountUserId ?? NO_OWNER;
}

const NO_OWNER = '00000000-0000-0000-0000-000000000000';
