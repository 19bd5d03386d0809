/** How values were stored before key ids existed, for databases of that time. */
import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

function keyOfBefore(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

export function sealAsBefore(plaintext: string, secret: string, purpose: string, bound: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOfBefore(secret, purpose), nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** A recovery code as shown, with its hyphens. */
export function recoveryHashAsBefore(code: string, accountUserId: string, secret: string): Buffer {
  return createHmac('sha256', keyOfBefore(secret, 'recovery-code'))
    .update(`${accountUserId}.${code.replaceAll('-', '')}`)
    .digest();
}

/** A user code as shown, with its hyphen. */
export function userCodeHashAsBefore(code: string, secret: string): Buffer {
  return createHmac('sha256', keyOfBefore(secret, 'user-code')).update(code.replace('-', '')).digest();
}
