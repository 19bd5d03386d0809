/**
 * An endless row of signed batches of distinct events. Bodies come from templates: what differs between two batches is a
 * number of fixed width in every key, so that making one costs the generator a copy and the signature.
 */
import { createHmac } from 'node:crypto';
import { now } from '../../platform/clock.ts';
import { randomBytes } from '../../platform/random.ts';
import { usageEvent } from './usage-events.ts';

export const EVENTS_PER_BATCH = 100;

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Where it goes, and the answer that says that all of it was taken; default those of the batch endpoint of `/v1`. */
  readonly path?: string;
  readonly accepted?: RegExp;
}

const TEMPLATES = 32;
const DIGITS = 10;
const PLACEHOLDER = '#'.repeat(DIGITS);

/** Gives the next batch, the keys taking turns. */
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

/** As contract.md, "HMAC", says. */
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
  /** Where the number of the batch goes. */
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
