/** Recovery codes: 80 random bits as `XXXX-XXXX-XXXX-XXXX`. Case, hyphens and spaces are ignored when one is typed. */
import type { AccountUserId } from '#kernel/ids.ts';
import { createHmac } from 'node:crypto';
import { base32 } from '../../secrets/base32.ts';

/** `random` must be 10 fresh random bytes. */
export function makeRecoveryCode(random: Buffer): string {
  return (base32(random).match(/.{4}/g) ?? []).join('-');
}

/** The stored form of a code: an HMAC bound to its account user. */
export function hashRecoveryCode(code: string, accountUserId: AccountUserId, key: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(`${accountUserId}.${code.toUpperCase().replaceAll(/[\s-]/g, '')}`)
    .digest();
}
