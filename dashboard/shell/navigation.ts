/** Navigation targets: pages to read, and one group of settings pages. */
import type { Principal } from '#platform/principal.ts';
import { mayOpen } from '../http/page-access.ts';
import { ENROLLMENT } from '../http/with-session.ts';

export interface NavigationItem {
  readonly path: string;
  readonly label: string;
  /** A page that links to this one. People who may open that page need no entry for this one. */
  readonly partOf?: string;
}

/** A settings page, with its description on `/settings`. */
export interface SettingsPage extends NavigationItem {
  readonly about: string;
}

const READING: readonly NavigationItem[] = [
  { path: '/', label: 'Overview' },
  { path: '/costs', label: 'Costs' },
  { path: '/margins', label: 'Margins' },
  { path: '/customers', label: 'Customers' },
  { path: '/events', label: 'Events' },
  { path: '/rates', label: 'Rates' },
  { path: '/what-if', label: 'What if' },
  { path: '/alerts', label: 'Alerts' },
];

/** Settings pages, in the order in which a new user needs them. */
const SETTINGS: readonly SettingsPage[] = [
  {
    path: '/first-steps',
    label: 'First steps',
    about: 'Set up: from the first event to the first margin.',
  },
  {
    path: '/api-keys',
    label: 'API keys',
    about: 'Create and revoke API keys.',
  },
  { path: '/sources', label: 'Sources', about: 'Usage sources and latest events.' },
  {
    path: '/import',
    label: 'Import history',
    about: 'Book past calls from an export of Langfuse, Helicone, OpenRouter or LiteLLM.',
  },
  { path: '/settings/payments', label: 'Payments', about: 'Connect Stripe and link its customers.' },
  {
    path: '/settings/currency',
    label: 'Currency',
    about: 'The currency of margins, and its exchange rates.',
  },
  {
    path: '/settings/dimensions',
    label: 'Dimensions',
    about: 'Break down costs by your own metadata.',
  },
  {
    path: '/settings/organization',
    label: 'Organization',
    about: 'Name and plan.',
  },
  { path: '/exports', label: 'Exports', about: 'Reports as CSV, JSON or Parquet files.' },
  { path: '/people', label: 'People', about: 'Members and roles.' },
  { path: '/books', label: 'Books', about: 'Verification and closed months.' },
  {
    path: '/books/closing',
    label: 'Closing',
    partOf: '/books',
    about: 'Closed months and their statements.',
  },
  {
    path: '/personal-data',
    label: 'Personal data',
    about: 'Erase a customer, and set metadata retention.',
  },
  { path: '/audit-log', label: 'Audit log', about: 'Recorded actions.' },
  { path: '/sessions', label: 'Devices', about: 'Your active sessions.' },
  { path: '/second-factor', label: 'Two-step sign-in', about: 'Passkeys, and an authenticator app.' },
  { path: '/password', label: 'Password', about: 'Change your password.' },
];

const SETTINGS_PAGE: NavigationItem = { path: '/settings', label: 'Settings' };

/**
 * First navigation row: pages that the caller may read, and one entry for settings. A person who still has to enroll
 * sees only one page.
 */
export function mainPages(principal: Principal): readonly NavigationItem[] {
  // Sample data has no settings.
  if (principal.sampleOf !== undefined) return READING;
  return isEnrolled(principal) ? [...READING, SETTINGS_PAGE] : settingsPages(principal);
}

export function settingsPages(principal: Principal): readonly SettingsPage[] {
  return principal.sampleOf !== undefined ? [] : SETTINGS.filter((item) => isOffered(principal, item));
}

/** True if a page belongs to the settings. */
export function isInSettings(here: string): boolean {
  return [SETTINGS_PAGE, ...SETTINGS].some(({ path }) => isWithin(here, path));
}

/** True if a page is at the path or below it. */
export function isWithin(here: string, path: string): boolean {
  return here === path || (path !== '/' && here.startsWith(`${path}/`));
}

function isOffered(principal: Principal, { path, partOf }: NavigationItem): boolean {
  if (!isEnrolled(principal)) return path === '/second-factor';
  return mayOpen(principal, path) && (partOf === undefined || !mayOpen(principal, partOf));
}

function isEnrolled({ grants }: Principal): boolean {
  return !grants.includes(ENROLLMENT);
}
