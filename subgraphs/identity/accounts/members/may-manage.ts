/**
 * Decides whose account a caller may disable, remove, reset or invite: owners and operators anyone's, admins only
 * members' and viewers'.
 */
import type { Principal } from '#platform/principal.ts';
import type { Role } from '../role.ts';

export function mayManage({ grants }: Pick<Principal, 'grants'>, role: Role): boolean {
  return (
    grants.includes('operator') ||
    grants.includes('owner') ||
    (grants.includes('admin') && (role === 'member' || role === 'viewer'))
  );
}
