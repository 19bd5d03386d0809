/** Encrypts values at rest with AES-256-GCM and a key of the ring; each value contains the key's id. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { fail } from '#kernel/errors.ts';
import type { KeyRing } from './key-ring.ts';
import type { Log } from './log.ts';
import { randomBytes } from './random.ts';

/** Format 1: this mark, the key's id (8 bytes), the nonce, the ciphertext, the tag. Mark and id are authenticated. */
export const SEAL_MARK = Buffer.from('enc1');
export const KEY_ID_LENGTH = 8;
const HEADER_LENGTH = SEAL_MARK.length + KEY_ID_LENGTH;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** `bound` ties the value to its owner, for example a row's id: only the same `bound` decrypts it. */
export interface Sealing {
  readonly ring: KeyRing;
  /** Prefix of all values encrypted with the current key. */
  readonly currentHeader: Buffer;
  seal(plaintext: string, purpose: string, bound: string): Buffer;
  /** Fails with `SECRET_UNREADABLE` and logs the key id if no key of the ring decrypts it or it was changed. */
  unseal(sealed: Uint8Array, purpose: string, bound: string): string;
  /** `null` if {@link unseal} would fail. */
  tryUnseal(sealed: Uint8Array, purpose: string, bound: string): string | null;
}

export function sealingWith(ring: KeyRing, log: Log): Sealing {
  const currentHeader = Buffer.concat([SEAL_MARK, Buffer.from(ring.current.id, 'hex')]);
  const tryUnseal = (sealed: Uint8Array, purpose: string, bound: string) =>
    open(ring, Buffer.from(sealed), purpose, bound);
  return {
    ring,
    currentHeader,
    seal(plaintext, purpose, bound) {
      return Buffer.concat([
        currentHeader,
        encrypt(plaintext, ring.current.derive(purpose), Buffer.concat([currentHeader, Buffer.from(bound)])),
      ]);
    },
    unseal(sealed, purpose, bound) {
      const opened = tryUnseal(sealed, purpose, bound);
      if (opened !== null) return opened;
      const keyId = keyIdOf(sealed);
      const isKnown = keyId !== null && ring.find(keyId) !== null;
      log.error(
        { purpose, belongsTo: bound, keyId, keyIds: ring.keys.map(({ id }) => id) },
        isKnown
          ? 'An encrypted value was changed: its key is known but does not decrypt it'
          : 'An encrypted value cannot be decrypted: its key is missing',
      );
      return fail('SECRET_UNREADABLE', isKnown ? CHANGED : keyIsMissing(keyId), { keyId });
    },
    tryUnseal,
  };
}

/** Id of the key that encrypted a value; `null` for values from before key ids. */
export function keyIdOf(sealed: Uint8Array): string | null {
  const bytes = Buffer.from(sealed);
  return bytes.subarray(0, SEAL_MARK.length).equals(SEAL_MARK)
    ? bytes.subarray(SEAL_MARK.length, HEADER_LENGTH).toString('hex')
    : null;
}

const CHANGED = 'The stored value was changed and cannot be decrypted: contact the operator of the service';

function keyIsMissing(keyId: string | null): string {
  const secret = keyId === null ? 'the secret that encrypted it' : `the secret of key ${keyId}`;
  return `The stored value cannot be decrypted: the operator of the service has to restore ${secret}`;
}

function open(ring: KeyRing, sealed: Buffer, purpose: string, bound: string): string | null {
  const keyId = keyIdOf(sealed);
  const key = keyId === null ? null : ring.find(keyId);
  if (key) {
    const header = sealed.subarray(0, HEADER_LENGTH);
    return decrypt(sealed.subarray(HEADER_LENGTH), key.derive(purpose), Buffer.concat([header, Buffer.from(bound)]));
  }
  // Older values start with their nonce, which equals the mark once in four billion times.
  for (const candidate of ring.keys) {
    const opened = decrypt(sealed, candidate.deriveWithoutId(purpose), Buffer.from(bound));
    if (opened !== null) return opened;
  }
  return null;
}

/** A new nonce, the ciphertext and the tag. */
function encrypt(plaintext: string, key: Buffer, authenticated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(authenticated);
  return Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(encrypted: Buffer, key: Buffer, authenticated: Buffer): string | null {
  if (encrypted.length < NONCE_LENGTH + TAG_LENGTH) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_LENGTH), {
    authTagLength: TAG_LENGTH,
  })
    .setAAD(authenticated)
    .setAuthTag(encrypted.subarray(-TAG_LENGTH));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(NONCE_LENGTH, -TAG_LENGTH)), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}
