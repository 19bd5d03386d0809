/** By what a subgraph shows the gateway who it is: `svc_NAME_…`, derived from the service secret, which it need not know. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing, RingKey } from '../key-ring.ts';

const TOKEN = /^svc_([a-z][a-z0-9-]{0,39})_([\w-]{43})$/;

/** Good as long as the secret is one of the gateway's. */
export function serviceToken(name: string, { current }: KeyRing): string {
  return `svc_${name}_${proofOf(name, current).toString('base64url')}`;
}

/** The name of the subgraph whose token it is; `null` for anything else. */
export function serviceOfToken(token: string, { keys }: KeyRing): string | null {
  const [, name, proof] = TOKEN.exec(token) ?? [];
  if (name === undefined || proof === undefined) return null;
  const presented = Buffer.from(proof, 'base64url');
  return keys.some((key) => timingSafeEqual(proofOf(name, key), presented)) ? name : null;
}

function proofOf(name: string, key: RingKey): Buffer {
  return createHmac('sha256', key.derive('service-token')).update(name).digest();
}
