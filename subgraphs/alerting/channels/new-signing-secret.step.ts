/** Secrets that sign webhooks: `whsec_` and 24 to 64 bytes in Base64 (Standard Webhooks 1.0, "Signature scheme"). */
import { randomBytes } from '#platform/random.ts';

const SECRET_BYTES = 32;

export function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
