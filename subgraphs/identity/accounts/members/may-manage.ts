/**
 * Decides whose account a caller may disable, remove, reset or invite: owners and operators any account, admins only
 * accounts with the roles in `MANAGED_BY_ADMINS`.
 */
import type { Principal } from '#platform/principal.ts';
import { MANAGED_BY_ADMINS, type Role } from '../role.ts';

/** `role`: the role of the account to manage. */
export function mayManage({ grants }: Pick<Principal, 'grants'>, role: Role): boolean {
  return (
    grants.includes('operator') ||
    grants.includes('owner') ||
    (grants.includes('admin') && MANAGED_BY_ADMINS.some((managed) => managed === role))
  );
}
