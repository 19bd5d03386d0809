/** The session cookie: set by the dashboard, also read by gateway and adapter. */

export const SESSION_COOKIE = 'session';

/**
 * Name of a cookie. On https, the prefix `__Host-` makes browsers accept it only from this host, over https and for
 * every path, so that a sibling domain cannot set it (RFC 6265bis, section 4.1.3.2).
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The token in a `Cookie` header, or `null`. `isSecure`: pages are served over https. */
export function sessionTokenOf(cookies: string | undefined, isSecure: boolean): string | null {
  const name = cookieName(SESSION_COOKIE, isSecure);
  const pair = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}
