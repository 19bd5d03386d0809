/**
 * Which roles may open which pages. The session check refuses other roles, and pages offer only links to pages that the
 * person may open. The graph checks every operation in any case.
 */
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';

const ADMINS = ['owner', 'admin'];
const KEY_HOLDERS = [...ADMINS, 'member'];
const READERS_OF_BOOKS = [...ADMINS, 'finance', 'viewer'];

/** Roles of pages, and of the pages below them that are not listed. Everybody who is signed in may open all others. */
const ROLES: Readonly<Record<string, readonly string[] | null>> = {
  '/alerts/channels': ADMINS,
  '/alerts/deliveries': ADMINS,
  '/alerts/rules/new': ADMINS,
  '/alerts/statements': ADMINS,
  '/api-keys': KEY_HOLDERS,
  '/audit-log': ['owner'],
  '/books': ADMINS,
  '/books/bills': READERS_OF_BOOKS,
  '/books/closing': null,
  '/books/not-understood': null,
  '/exports/schedules': ADMINS,
  '/first-steps': KEY_HOLDERS,
  '/import': ADMINS,
  '/people': ADMINS,
  '/personal-data': ['owner'],
  '/rates/price': ADMINS,
  '/settings/dimensions': ADMINS,
  '/settings/organization': ADMINS,
  '/settings/payments': ADMINS,
};

/** `path`: with or without a query. */
export function mayOpen({ grants }: Pick<Principal, 'grants'>, path: string): boolean {
  const roles = rolesOf(path);
  return roles === null || roles.some((role) => grants.includes(role));
}

/** In sample data, an owner or admin has the grants of a member, and may still open all pages. */
export function requireAccess(principal: Principal, path: string): void {
  if (principal.sampleOf === undefined && !mayOpen(principal, path))
    fail('FORBIDDEN', `This needs the scope ${rolesOf(path)!.join(' or ')}`);
}

/** The roles of the nearest listed page. `null`: everybody. */
function rolesOf(path: string): readonly string[] | null {
  for (let page = path.split(/[?#]/, 1)[0]!; page !== ''; page = page.slice(0, page.lastIndexOf('/'))) {
    const roles = ROLES[page];
    if (roles !== undefined) return roles;
  }
  return null;
}
