/** Navigation targets: pages to read, and one group of settings pages. */
import type { Principal } from '#platform/principal.ts';
import { ENROLLMENT } from '../http/with-session.ts';

export interface NavigationItem {
  readonly path: string;
  readonly label: string;
  /** Roles that may open it; `null` for everybody who is fully signed in. */
  readonly grant: readonly string[] | null;
}

/** A settings page, with its description on `/settings`. */
export interface SettingsPage extends NavigationItem {
  readonly about: string;
}

const READING: readonly NavigationItem[] = [
  { path: '/', label: 'Overview', grant: null },
  { path: '/costs', label: 'Costs', grant: null },
  { path: '/margins', label: 'Margins', grant: null },
  { path: '/customers', label: 'Customers', grant: null },
  { path: '/events', label: 'Events', grant: null },
  { path: '/rates', label: 'Rates', grant: null },
  { path: '/what-if', label: 'What if', grant: null },
  { path: '/alerts', label: 'Alerts', grant: null },
];

const ADMINS = ['owner', 'admin'];

/** In the order in which a new user needs them. */
const SETTINGS: readonly SettingsPage[] = [
  {
    path: '/first-steps',
    label: 'First steps',
    grant: null,
    about: 'Set up: from the first event to the first margin.',
  },
  {
    path: '/api-keys',
    label: 'API keys',
    grant: [...ADMINS, 'member'],
    about: 'Create and revoke API keys.',
  },
  { path: '/sources', label: 'Sources', grant: null, about: 'Usage sources and latest events.' },
  {
    path: '/import',
    label: 'Import history',
    grant: ADMINS,
    about: 'Book past calls from an export of Langfuse, Helicone, OpenRouter or LiteLLM.',
  },
  { path: '/settings/payments', label: 'Payments', grant: ADMINS, about: 'Connect Stripe and link its customers.' },
  {
    path: '/settings/currency',
    label: 'Currency',
    grant: ADMINS,
    about: 'The currency of margins, and its exchange rates.',
  },
  {
    path: '/settings/dimensions',
    label: 'Dimensions',
    grant: ADMINS,
    about: 'Break down costs by your own metadata.',
  },
  {
    path: '/settings/organization',
    label: 'Organization',
    grant: ADMINS,
    about: 'Name and plan.',
  },
  { path: '/exports', label: 'Exports', grant: null, about: 'Reports as CSV, JSON or Parquet files.' },
  { path: '/people', label: 'People', grant: ADMINS, about: 'Members and roles.' },
  { path: '/books', label: 'Books', grant: ADMINS, about: 'Verification and closed months.' },
  {
    path: '/books/closing',
    label: 'Closing',
    grant: ['finance', 'viewer'],
    about: 'Closed months and their statements.',
  },
  {
    path: '/personal-data',
    label: 'Personal data',
    grant: ['owner'],
    about: 'Erase a customer, and set metadata retention.',
  },
  { path: '/audit-log', label: 'Audit log', grant: ['owner'], about: 'Recorded actions.' },
  { path: '/sessions', label: 'Devices', grant: null, about: 'Your active sessions.' },
  { path: '/second-factor', label: 'Two-step sign-in', grant: null, about: 'Passkeys, and an authenticator app.' },
  { path: '/password', label: 'Password', grant: null, about: 'Change your password.' },
];

const SETTINGS_PAGE: NavigationItem = { path: '/settings', label: 'Settings', grant: null };

/**
 * First navigation row: pages that the caller may read, and one entry for settings. A person who still has to enroll
 * sees only one page.
 */
export function mainPages(principal: Principal): readonly NavigationItem[] {
  // Sample data has no settings.
  if (principal.sampleOf !== undefined) return READING;
  return mayOpenAll(principal)
    ? [...READING.filter((item) => mayOpen(principal, item)), SETTINGS_PAGE]
    : settingsPages(principal);
}

export function settingsPages(principal: Principal): readonly SettingsPage[] {
  return principal.sampleOf !== undefined ? [] : SETTINGS.filter((item) => mayOpen(principal, item));
}

/** True if a page belongs to the settings. */
export function isInSettings(here: string): boolean {
  return [SETTINGS_PAGE, ...SETTINGS].some(({ path }) => isWithin(here, path));
}

/** True if a page is at the path or below it. */
export function isWithin(here: string, path: string): boolean {
  return here === path || (path !== '/' && here.startsWith(`${path}/`));
}

function mayOpen(principal: Principal, { path, grant }: NavigationItem): boolean {
  if (!mayOpenAll(principal)) return path === '/second-factor';
  return grant === null || grant.some((one) => principal.grants.includes(one));
}

function mayOpenAll({ grants }: Principal): boolean {
  return !grants.includes(ENROLLMENT);
}
