/**
 * Whether an ingestion request was signed, just now, by the holder of the key it names (contract.md, "HMAC").
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that a timestamp may lie from the server's time, either way. */
const SKEW_SECONDS_MAX = 300;

/** The texts of the flat body's `error`. They never say which part failed beyond this (decision 9, D10). */
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
  /** Unix time of the server; a fraction is dropped, since clients send whole seconds. */
  readonly nowSeconds: number;
}

/** `null` when the signature holds, else the text of the flat 401 body. Compares in constant time. */
export function verifySignature({ timestamp, signature, rawBody, apiKey, nowSeconds }: SignedRequest): string | null {
  if (!timestamp || !signature) return SIGNATURE_FAILURES.missing;
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return SIGNATURE_FAILURES.stale;
  if (Math.abs(Math.floor(nowSeconds) - Number(timestamp)) > SKEW_SECONDS_MAX) return SIGNATURE_FAILURES.stale;
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return SIGNATURE_FAILURES.mismatch;

  const expected = createHmac('sha256', apiKey).update(`${timestamp}.`).update(rawBody).digest();
  return timingSafeEqual(Buffer.from(signature.slice(3), 'hex'), expected) ? null : SIGNATURE_FAILURES.mismatch;
}
