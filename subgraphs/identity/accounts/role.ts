/** Roles of account users in their organization. */
import { fail } from '#kernel/errors.ts';

export const ROLES = ['owner', 'admin', 'member', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Roles whose account users may hold API keys. */
export function mayHoldKeys(role: Role): boolean {
  return role !== 'finance' && role !== 'viewer';
}

/** Roles whose account users an admin manages. */
export const MANAGED_BY_ADMINS = ['member', 'viewer'] as const satisfies Role[];

/** Parses a role given by a caller. */
export function checkRole(input: string): Role {
  return ROLES.find((known) => known === input) ?? fail('VALIDATION_ERROR', `role must be one of ${ROLES.join(', ')}`);
}
