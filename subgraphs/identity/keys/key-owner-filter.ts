/** Whose API keys a caller may see and end: owners, admins and operators all of the organization, a member its own. */
import type { Principal } from '../../../platform/principal.ts';

/** `null`: everybody's; else the one account user whose keys they must be. */
export function keyOwnerFilter({ grants, accountUserId }: Principal): string | null {
  if (['operator', 'owner', 'admin'].some((grant) => grants.includes(grant))) return null;
  return accountUserId ?? NO_OWNER;
}

const NO_OWNER = '00000000-0000-0000-0000-000000000000';
