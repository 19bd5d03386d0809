/** Seals the processor's key for storage: AES-256-GCM under a key of its own, bound to the connection it belongs to. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The nonce, the tag, the ciphertext. `nonce` must be random and never used twice. */
export function sealKey(
  key: string,
  { serviceSecret, connectionId, nonce }: { serviceSecret: string; connectionId: string; nonce: Buffer },
): Buffer {
  const cipher = createCipheriv('aes-256-gcm', sealingKey(serviceSecret), nonce).setAAD(Buffer.from(connectionId));
  const text = Buffer.concat([cipher.update(key, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Throws when the seal was made under another secret or for another connection. */
export function openKey(
  sealed: Buffer,
  { serviceSecret, connectionId }: { serviceSecret: string; connectionId: string },
): string {
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(serviceSecret), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(connectionId))
    .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

function sealingKey(serviceSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', serviceSecret, '', 'revenue.payment-connection', 32));
}
