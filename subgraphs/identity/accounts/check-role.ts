/** Parses a role given by a caller. */
import { fail } from '#schema/errors.ts';
import type { Role } from './account-user.table.ts';

const NAMES: Readonly<Record<Role, Role>> = { owner: 'owner', admin: 'admin', member: 'member' };

export function checkRole(input: string): Role {
  return (
    Object.values(NAMES).find((known) => known === input) ??
    fail('VALIDATION_ERROR', `role must be one of ${Object.keys(NAMES).join(', ')}`)
  );
}
