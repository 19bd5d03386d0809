/** Whether a browser sent a request from a page of this service. Programs that are no browsers send neither header. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * `Sec-Fetch-Site` decides where it is sent, then `Origin`, which must be the host that was asked or one of `origins`.
 * An opaque origin (`null`) is anybody's: it passes only where the browser itself says `Sec-Fetch-Site: same-origin`. Our pages
 * ask for a referrer policy under which their forms send their origin, also on plain http, where `Sec-Fetch-Site` is not sent.
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
