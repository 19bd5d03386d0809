/**
 * An endless sequence of signed batches of distinct events. Bodies come from templates: two batches differ only in a
 * fixed-width number in every key. So generating one costs only a copy and the signature.
 */
import { createHmac } from 'node:crypto';
import { now } from '#platform/clock.ts';
import { randomBytes } from '#platform/random.ts';
import { usageEvent } from './usage-events.ts';

export const EVENTS_PER_BATCH = 100;

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Path, and the response pattern for a completely accepted batch. Default: those of the `/v1` batch endpoint. */
  readonly path?: string;
  readonly accepted?: RegExp;
}

const TEMPLATES = 32;
const DIGITS = 10;
const PLACEHOLDER = '#'.repeat(DIGITS);

/** Returns the next batch, rotating through the keys. */
export function signedBatches(apiKeys: readonly string[]): () => SignedRequest {
  const run = randomBytes(6).toString('hex');
  const before = now();
  const templates = Array.from({ length: TEMPLATES }, (_, template) => makeTemplate(run, template, before));
  let made = 0;
  return () => {
    const batch = made++;
    const template = templates[batch % TEMPLATES];
    const apiKey = apiKeys[batch % apiKeys.length];
    if (!template || apiKey === undefined) throw new Error('There is no key to sign with');
    const body = Buffer.from(template.body);
    const number = String(batch).padStart(DIGITS, '0');
    for (const position of template.positions) body.write(number, position, 'latin1');
    return sign(body, apiKey);
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

interface Template {
  readonly body: Buffer;
  /** Offsets of the batch number. */
  readonly positions: readonly number[];
}

function makeTemplate(run: string, template: number, before: Date): Template {
  const events = Array.from({ length: EVENTS_PER_BATCH }, (_, item) =>
    usageEvent(template * EVENTS_PER_BATCH + item, `${run}-${PLACEHOLDER}-${item}`, before),
  );
  const body = Buffer.from(JSON.stringify(events));
  const positions: number[] = [];
  for (let at = body.indexOf(PLACEHOLDER); at >= 0; at = body.indexOf(PLACEHOLDER, at + DIGITS)) positions.push(at);
  return { body, positions };
}
