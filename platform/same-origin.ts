/** True if a browser sent a request from one of our pages. Other clients send neither header. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * `Sec-Fetch-Site` decides if present, then `Origin`, which must be the requested host or one of `origins`. An opaque
 * origin (`null`) passes only with `Sec-Fetch-Site: same-origin`. Our pages set a referrer policy under which forms
 * send their origin, even on plain http without `Sec-Fetch-Site`.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  if (origin === 'null') return site === 'same-origin';
  if (origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}
