/** Target after sign-in: a path of this service, or the start page. Path and query only, never another origin. */

/** A base origin that no path can name; a URL that leaves it is not a path. */
const NOWHERE = 'http://nowhere.invalid';
const START = '/';

/** Normalizing may turn `/.//x` into `//x`, which names a host, so the result is checked as well as the input. */
export function safePath(wanted: string | null): string {
  if (wanted === null || !wanted.startsWith('/') || !URL.canParse(wanted, NOWHERE)) return START;
  const url = new URL(wanted, NOWHERE);
  const path = url.pathname + url.search;
  return url.origin === NOWHERE && !/^\/[/\\]/.test(path) ? path : START;
}
