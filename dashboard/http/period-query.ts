/**
 * Query of a page with a period. A chosen period is remembered until the browser closes, so that all pages show the
 * same one.
 */
import { now } from '#platform/clock.ts';
import { PageQuery, windowChoice, windowParameters } from '../figures/window-choice.ts';
import { cookieOf, keepPeriod, PERIOD_COOKIE } from './cookies.ts';
import type { Dependencies } from './dependencies.ts';
import { queryOf } from './form.ts';
import type { SignedIn } from './with-session.ts';

const NAMES = ['window', 'from', 'to', 'at'];
/** Links of alerts contain instants. They are not remembered. */
const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Fails with `VALIDATION_ERROR` for dates that do not form a period. */
export function periodQuery(
  { isSecure }: Pick<Dependencies, 'isSecure'>,
  { request, reply, principal }: SignedIn,
): URLSearchParams {
  const query = new PageQuery(queryOf(request));
  query.fiscalYearStart = principal.fiscalYearStart ?? 1;
  const remembered = cookieOf(request, isSecure, PERIOD_COOKIE) ?? '';
  if (NAMES.some((name) => query.has(name))) {
    const choice = windowChoice(query, now());
    const chosen = new URLSearchParams(windowParameters(choice)).toString();
    if (choice.from.length === DAY_LENGTH && chosen !== remembered) keepPeriod(reply, isSecure, chosen);
    return query;
  }
  for (const [name, value] of readPeriod(remembered)) query.set(name, value);
  return query;
}

/** Empty for a cookie without a valid period. */
function readPeriod(text: string): [string, string][] {
  try {
    return text === '' ? [] : windowParameters(windowChoice(new URLSearchParams(text), now()));
  } catch {
    return [];
  }
}
