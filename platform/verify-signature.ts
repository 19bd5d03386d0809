/** Verifies that an ingestion request was signed recently with the key that it names (contract.md, "HMAC"). */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference between a timestamp and the server's time, in seconds, in either direction. */
const SKEW_SECONDS_MAX = 300;

/** Texts of `error` in the flat body. They reveal nothing else about which part failed (decision 9, D10). */
export const SIGNATURE_FAILURES = {
  missing: 'Missing X-Timestamp or X-Signature header.',
  stale: 'X-Timestamp must be the current Unix time in seconds, within 5 minutes of the server time.',
  mismatch:
    'X-Signature does not match: send v1= and the hex HMAC-SHA256 of "{X-Timestamp}.{raw body}", keyed with the API key.',
} as const;

const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^v1=[0-9a-fA-F]{64}$/;

export interface SignedRequest {
  /** The header `X-Timestamp` as sent. */
  readonly timestamp: string | readonly string[] | undefined;
  /** The header `X-Signature` as sent. */
  readonly signature: string | readonly string[] | undefined;
  /** The body's bytes exactly as sent, before any parsing. */
  readonly rawBody: Uint8Array;
  readonly apiKey: string;
  /** The server's Unix time; fractions are dropped, since clients send whole seconds. */
  readonly nowSeconds: number;
}

/** Returns `null` if the signature is valid, otherwise the text of the flat 401 body. Compares in constant time. */
export function verifySignature({ timestamp, signature, rawBody, apiKey, nowSeconds }: SignedRequest): string | null {
  if (!timestamp || !signature) return SIGNATURE_FAILURES.missing;
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return SIGNATURE_FAILURES.stale;
  if (Math.abs(Math.floor(nowSeconds) - Number(timestamp)) > SKEW_SECONDS_MAX) return SIGNATURE_FAILURES.stale;
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return SIGNATURE_FAILURES.mismatch;

  const expected = createHmac('sha256', apiKey).update(`${timestamp}.`).update(rawBody).digest();
  return timingSafeEqual(Buffer.from(signature.slice(3), 'hex'), expected) ? null : SIGNATURE_FAILURES.mismatch;
}
