/** Sends a batch of items to an endpoint of usage events, signed with the key. Waits while the service asks for it. */
import { createHmac } from 'node:crypto';
import { now } from '#platform/clock.ts';
import type { Login } from './saved-login.ts';
import { send } from './send.ts';

export interface ItemsAnswer {
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly ignored?: number;
  readonly failed?: number;
  readonly results?: readonly { readonly index: number; readonly status: string; readonly message?: string }[];
  readonly error?: string | { readonly message?: string };
}

export type EventsPath = '/ext/v1/provider-responses' | '/ext/v1/litellm';

const TRIES_MAX = 5;
const PAUSE_SECONDS = 2;

/**
 * Fails with a message for the user. Retries after 503 at most four times, and after 429 at most `waitsMax` times:
 * an import waits for the rate limit as often as it needs to.
 */
export async function postItems(
  { api, key }: Login,
  path: EventsPath,
  items: readonly unknown[],
  wait: (seconds: number) => Promise<void>,
  waitsMax = TRIES_MAX - 1,
): Promise<ItemsAnswer> {
  const body = JSON.stringify(items);
  for (let failures = 0, waits = 0; ;) {
    const time = String(Math.floor(now().getTime() / 1000));
    const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    const reply = await send<ItemsAnswer>(`${api}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-timestamp': time,
        'x-signature': `v1=${signature}`,
      },
      body,
    });
    if (reply.status === 202) return reply.body;
    const mayRetry = (reply.status === 429 && ++waits <= waitsMax) || (reply.status === 503 && ++failures < TRIES_MAX);
    if (!mayRetry) throw new Error(refusal(reply.status, reply.body));
    await wait(Number(reply.retryAfter ?? PAUSE_SECONDS));
  }
}

function refusal(status: number, { error }: ItemsAnswer): string {
  const message = typeof error === 'string' ? error : (error?.message ?? 'no reason given');
  if (status === 401) return `${message}. BOOKS_API_KEY must be an active key`;
  return status === 403 ? `${message}. Use a key with the preset "SDK ingestion"` : message;
}
