/** Whether a browser sent a request from a page of ours. Programs that are no browsers send neither header. */
import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * `Sec-Fetch-Site` decides where it is sent, then `Origin`, which must be the host that was asked or one of `origins`.
 * Under `Referrer-Policy: no-referrer` browsers send `Origin: null` with our own forms too (Fetch, "append a request
 * `Origin` header"). That passes with `Sec-Fetch-Site: same-origin`, and where browsers do not send that header: on plain
 * http away from this machine. There the form's token alone decides.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  if (origin === 'null') return site !== undefined || isPlainAndRemote(headers.host, origins);
  if (origins.includes(origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}

function isPlainAndRemote(host: string | undefined, origins: readonly string[]): boolean {
  const isPlain = origins.every((origin) => origin.startsWith('http://'));
  return isPlain && host !== undefined && URL.canParse(`http://${host}`) && !LOOPBACK.test(new URL(`http://${host}`).hostname);
}
