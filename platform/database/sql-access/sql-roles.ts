/** Names of the roles for SQL tools. */
import type { OrganizationId } from '#kernel/ids.ts';
import { createHash } from 'node:crypto';

/** Group of all roles that log in. It may connect and read the views. */
export const READERS = 'books_report_readers';

/** Owns the views of a database. It reads the tables below them, under row-level security, and cannot log in. */
export function viewOwner(name: string): string {
  return `${name}_report`;
}

/** Role of an organization's tools. Every role can read the names of all roles, so it does not contain the organization. */
export function sqlRole(organizationId: OrganizationId): string {
  return `report_${createHash('sha256').update(organizationId).digest('hex').slice(0, 16)}`;
}
