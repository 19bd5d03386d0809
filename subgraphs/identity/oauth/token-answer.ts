/** Successful response of the token endpoint (RFC 6749, section 5.1): an ordinary API key. */
import { DAY_SECONDS } from '#kernel/time/duration.ts';

export interface TokenAnswer {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  /** Seconds. */
  readonly expiresIn: number;
  readonly scope: string;
}

export function tokenAnswer(accessToken: string, scopes: readonly string[], lifetimeDays: number): TokenAnswer {
  return { accessToken, tokenType: 'Bearer', expiresIn: lifetimeDays * DAY_SECONDS, scope: scopes.join(' ') };
}
