/**
 * Token that authenticates a subgraph at the gateway: `svc_NAME_…`, derived from the service secret, which the
 * subgraph need not know.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing, RingKey } from '../key-ring.ts';

const TOKEN = /^svc_([a-z][a-z0-9-]{0,39})_([\w-]{43})$/;

/** Valid as long as the gateway has the secret. */
export function serviceToken(name: string, { current }: KeyRing): string {
  return `svc_${name}_${proofOf(name, current).toString('base64url')}`;
}

/** The subgraph's name; `null` if the token is not valid. */
export function serviceOfToken(token: string, { keys }: KeyRing): string | null {
  const [, name, proof] = TOKEN.exec(token) ?? [];
  if (name === undefined || proof === undefined) return null;
  const presented = Buffer.from(proof, 'base64url');
  return keys.some((key) => timingSafeEqual(proofOf(name, key), presented)) ? name : null;
}

function proofOf(name: string, key: RingKey): Buffer {
  return createHmac('sha256', key.derive('service-token')).update(name).digest();
}
