/** Secrets that are valid together, and the keys derived from them: the first makes what is new, each opens and verifies. */
import { hkdfSync } from 'node:crypto';

export interface RingKey {
  /**
   * 16 hexadecimal digits derived from the secret. They name it wherever it was used, and since no other secret has them
   * they also prove it: what carries the id of a key that is here can be opened.
   */
  readonly id: string;
  /** 32 bytes for one purpose: no two purposes, and neither signing nor encryption, share a key. */
  derive(purpose: string): Buffer;
  /** What `derive` gave before there were key ids: for what was stored then. */
  deriveWithoutId(purpose: string): Buffer;
}

export interface KeyRing {
  readonly current: RingKey;
  /** The current one first. */
  readonly keys: readonly RingKey[];
  find(id: string): RingKey | null;
}

export type Secrets = readonly [current: string, ...previous: string[]];

const KEY_ID_BYTES = 8;

/** A secret that is named twice counts once. */
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
  // Signing asks for its key with every request between processes.
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
