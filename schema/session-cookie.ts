/** The cookie that holds a session. Set by the dashboard, read by gateway and adapter too. */

export const SESSION_COOKIE = 'session';

/**
 * What a cookie of our own is called. On https the prefix `__Host-` makes browsers take it from this very host alone, over
 * https and for every path: no sibling domain can plant one (RFC 6265bis, section 4.1.3.2).
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The token in a `Cookie` header, or `null`. `isSecure`: people come over https. */
export function sessionTokenOf(cookies: string | undefined, isSecure: boolean): string | null {
  const name = cookieName(SESSION_COOKIE, isSecure);
  const pair = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}
