/** A role as it is named by callers. */
import { fail } from '../../../schema/errors.ts';
import type { Role } from './account-user.table.ts';

const NAMES: Readonly<Record<Role, Role>> = { owner: 'owner', admin: 'admin', member: 'member' };

export function checkRole(given: string): Role {
  return Object.values(NAMES).find((known) => known === given) ?? fail('VALIDATION_ERROR', `role must be one of ${Object.keys(NAMES).join(', ')}`);
}
