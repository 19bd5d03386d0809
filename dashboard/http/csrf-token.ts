/** The token that every form carries: bound to the session, or before there is one to a cookie of the visit. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key of the forms alone, so that no token of theirs is good for anything else. */
export function csrfKey(serviceSecret: string): Buffer {
  return createHmac('sha256', serviceSecret).update('dashboard.csrf').digest();
}

/** `binding` is a secret that only this browser holds. */
export function csrfToken(key: Buffer, binding: string): string {
  return createHmac('sha256', key).update(binding).digest('base64url');
}

export function isCsrfToken(key: Buffer, binding: string, given: string): boolean {
  const expected = Buffer.from(csrfToken(key, binding));
  const presented = Buffer.from(given);
  return expected.length === presented.length && timingSafeEqual(expected, presented);
}
