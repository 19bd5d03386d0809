/** CSRF token of every form: bound to the session, or to a visit cookie before sign-in. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '#platform/key-ring.ts';
import { randomBytes } from '#platform/random.ts';

/** Keys used only for forms, so that form tokens are valid for nothing else. */
export interface CsrfKeys {
  /** Signs new tokens. */
  readonly current: Buffer;
  /** Tokens of any of these keys are accepted: forms stay valid while the secret is rotated. */
  readonly all: readonly Buffer[];
}

export function csrfKeys({ current, keys }: KeyRing): CsrfKeys {
  return { current: current.derive(PURPOSE), all: keys.map((key) => key.derive(PURPOSE)) };
}

const PURPOSE = 'dashboard.csrf';
const SALT_BYTES = 12;

/** `binding` is a secret held only by this browser. */
export function csrfToken({ current }: CsrfKeys, binding: string): string {
  return tokenOf(current, binding, randomBytes(SALT_BYTES).toString('base64url'));
}

export function isCsrfToken({ all }: CsrfKeys, binding: string, token: string): boolean {
  const [salt = ''] = token.split('.', 1);
  const presented = Buffer.from(token);
  return all.some((key) => {
    const expected = Buffer.from(tokenOf(key, binding, salt));
    return expected.length === presented.length && timingSafeEqual(expected, presented);
  });
}

/** The salt makes every response different, so that the length of a compressed page reveals nothing about its token. */
function tokenOf(key: Buffer, binding: string, salt: string): string {
  return `${salt}.${createHmac('sha256', key).update(`${salt}.${binding}`).digest('base64url')}`;
}
