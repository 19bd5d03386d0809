/** The cookie that holds a session. Set by the dashboard, read by gateway and adapter too. */

export const SESSION_COOKIE = 'session';

/** The token in a `Cookie` header, or `null`. */
export function sessionTokenOf(cookies: string | undefined): string | null {
  const pair = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`));
  return pair === undefined ? null : pair.slice(SESSION_COOKIE.length + 1);
}
