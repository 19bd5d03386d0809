/** An endless sequence of signed batches of distinct events. */
import { createHmac } from 'node:crypto';
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import type { Shape } from '../workload/customer.ts';
import { usageEvent } from '../workload/usage-event.ts';

export const EVENTS_PER_BATCH = 100;

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Path, and the response pattern for a completely accepted batch. Default: those of the `/v1` batch endpoint. */
  readonly path?: string;
  readonly accepted?: RegExp;
}

/** Returns the next batch, rotating through the keys. */
export function signedBatches(
  apiKeys: readonly string[],
  { shape = 'live', events = EVENTS_PER_BATCH }: { readonly shape?: Shape; readonly events?: number } = {},
): () => SignedRequest {
  const run = randomBytes(6).toString('hex');
  let [batch, made] = [0, 0];
  return () => {
    const apiKey = apiKeys[batch++ % apiKeys.length];
    if (apiKey === undefined) throw new Error('No key to sign with');
    const before = now();
    const sent = Array.from({ length: events }, () => usageEvent(made, `${run}-${made++}`, before, shape));
    return sign(Buffer.from(JSON.stringify(sent)), apiKey);
  };
}

/** Signs as described in contract.md, "HMAC". */
export function sign(body: Buffer, apiKey: string): SignedRequest {
  const timestamp = String(Math.floor(now().getTime() / 1000));
  const signature = createHmac('sha256', apiKey).update(`${timestamp}.`).update(body).digest('hex');
  return {
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-timestamp': timestamp,
      'x-signature': `v1=${signature}`,
    },
    body,
  };
}
