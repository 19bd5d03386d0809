/** Where to go after a sign-in: a place of our own, or the start. Path and query only, never another origin. */

/** A base that no path can name; what leaves it was not a path. */
const NOWHERE = 'http://nowhere.invalid';
const START = '/';

/** Normalizing may turn `/.//x` into `//x`, which names a host: the outcome is looked at, not the input alone. */
export function safePath(wanted: string | null): string {
  if (wanted === null || !wanted.startsWith('/') || !URL.canParse(wanted, NOWHERE)) return START;
  const url = new URL(wanted, NOWHERE);
  const path = url.pathname + url.search;
  return url.origin === NOWHERE && !/^\/[/\\]/.test(path) ? path : START;
}
