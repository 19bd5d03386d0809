/** Parses a role given by a caller. */
import { fail } from '#schema/errors.ts';
import { type Role, ROLES } from './account-user.table.ts';

export function checkRole(input: string): Role {
  return ROLES.find((known) => known === input) ?? fail('VALIDATION_ERROR', `role must be one of ${ROLES.join(', ')}`);
}
