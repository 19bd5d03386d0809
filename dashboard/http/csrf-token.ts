/** The token that every form carries: bound to the session, or before there is one to a cookie of the visit. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../../platform/key-ring.ts';

/** Keys of the forms alone, so that no token of theirs is good for anything else. */
export interface CsrfKeys {
  /** Makes tokens. */
  readonly current: Buffer;
  /** A token of any of these is taken: a form stays good while the secret changes. */
  readonly all: readonly Buffer[];
}

export function csrfKeys({ current, keys }: KeyRing): CsrfKeys {
  return { current: current.derive(PURPOSE), all: keys.map((key) => key.derive(PURPOSE)) };
}

const PURPOSE = 'dashboard.csrf';

/** `binding` is a secret that only this browser holds. */
export function csrfToken({ current }: CsrfKeys, binding: string): string {
  return tokenOf(current, binding);
}

export function isCsrfToken({ all }: CsrfKeys, binding: string, token: string): boolean {
  const presented = Buffer.from(token);
  return all.some((key) => {
    const expected = Buffer.from(tokenOf(key, binding));
    return expected.length === presented.length && timingSafeEqual(expected, presented);
  });
}

function tokenOf(key: Buffer, binding: string): string {
  return createHmac('sha256', key).update(binding).digest('base64url');
}
