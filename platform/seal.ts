/** Seals what must be readable again but never at rest: AES-256-GCM under a key of the service's secret. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { randomBytes } from './random.ts';

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** The key for one purpose; two purposes never share one. */
export function sealingKey(serviceSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', serviceSecret, '', purpose, 32));
}

/** A fresh nonce, the ciphertext, the tag. `bound` is what the seal belongs to, such as the id of its row. */
export function seal(plaintext: string, key: Buffer, bound: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the seal was made with another key, for another row, or was changed. */
export function unseal(sealed: Uint8Array, key: Buffer, bound: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_LENGTH), { authTagLength: TAG_LENGTH })
    .setAAD(Buffer.from(bound))
    .setAuthTag(sealed.subarray(-TAG_LENGTH));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_LENGTH, -TAG_LENGTH)), decipher.final()]).toString('utf8');
}
