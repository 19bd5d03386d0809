/** The name of the cookie that holds a session. Set by the dashboard, read by the gateway. */
export const SESSION_COOKIE = 'session';
