/** Whose account a caller may disable, remove, reset or invite: owners and operators everybody's, an admin a member's. */
import type { Principal } from '../../../../platform/principal.ts';
import type { Role } from '../account-user.table.ts';

export function mayManage({ grants }: Pick<Principal, 'grants'>, role: Role): boolean {
  return grants.includes('operator') || grants.includes('owner') || (grants.includes('admin') && role === 'member');
}
