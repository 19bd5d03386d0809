/** A ring of valid secrets and the keys derived from them. The first signs and encrypts; all verify and decrypt. */
import { hkdfSync } from 'node:crypto';

export interface RingKey {
  /** 16 hexadecimal digits derived from the secret. A value that carries the id of a known key can be decrypted. */
  readonly id: string;
  /** 32 bytes for one purpose. No two purposes share a key. */
  derive(purpose: string): Buffer;
  /** The derivation used before key ids, for values stored then. */
  deriveWithoutId(purpose: string): Buffer;
}

export interface KeyRing {
  readonly current: RingKey;
  /** The current key first. */
  readonly keys: readonly RingKey[];
  find(id: string): RingKey | null;
}

export type Secrets = readonly [current: string, ...previous: string[]];

const KEY_ID_BYTES = 8;

/** Duplicate secrets count once. */
export function keyRing(use: 'encryption' | 'signing', secrets: Secrets): KeyRing {
  const [current, ...previous] = secrets;
  const first = ringKey(use, current);
  const keys = [
    first,
    ...[...new Set(previous)].filter((secret) => secret !== current).map((secret) => ringKey(use, secret)),
  ];
  return { current: first, keys, find: (id) => keys.find((key) => key.id === id) ?? null };
}

function ringKey(use: string, secret: string): RingKey {
  const derived = new Map<string, Buffer>();
  // Derives each key once, because signing needs its key for every request between processes.
  const once = (info: string): Buffer => {
    const key = derived.get(info) ?? hkdf(secret, info, 32);
    derived.set(info, key);
    return key;
  };
  return {
    id: hkdf(secret, `key-id.${use}`, KEY_ID_BYTES).toString('hex'),
    derive: (purpose) => once(`${use}.${purpose}`),
    deriveWithoutId: once,
  };
}

/** RFC 5869 with SHA-256 and no salt. */
function hkdf(secret: string, info: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', info, length));
}
