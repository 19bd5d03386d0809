/** Sends provider responses, signed with the key, in bounded batches. Responses sent before are not counted again. */
import { createHmac } from 'node:crypto';
import { now } from '#platform/clock.ts';
import type { Login } from './saved-login.ts';
import { send } from './send.ts';

export interface SentResponses {
  readonly accepted: number;
  readonly duplicates: number;
  readonly failed: number;
  /** Errors, by index of the response. */
  readonly errors: readonly { readonly index: number; readonly message: string }[];
}

interface Answer {
  readonly accepted?: number;
  readonly duplicates?: number;
  readonly failed?: number;
  readonly results?: readonly { readonly index: number; readonly status: string; readonly message?: string }[];
  readonly error?: string | { readonly message?: string };
}

const ITEMS_MAX = 100;
const TRIES_MAX = 5;
const PAUSE_SECONDS = 2;

/** Parses one JSON value, an array, or one value per line. Fails if the text is not JSON. */
export function parseResponses(text: string): unknown[] {
  const trimmed = text.trim();
  try {
    return [JSON.parse(trimmed) as unknown].flat();
  } catch {
    return trimmed
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
}

/** Fails with a message for the user; retries after 429 and 503. */
export async function sendResponses(
  login: Login,
  responses: readonly unknown[],
  wait: (seconds: number) => Promise<void>,
): Promise<SentResponses> {
  const total = { accepted: 0, duplicates: 0, failed: 0 };
  const errors: { index: number; message: string }[] = [];
  for (let from = 0; from < responses.length; from += ITEMS_MAX) {
    const body = JSON.stringify(responses.slice(from, from + ITEMS_MAX));
    const answer = await sendBatch(login, body, wait);
    total.accepted += answer.accepted ?? 0;
    total.duplicates += answer.duplicates ?? 0;
    total.failed += answer.failed ?? 0;
    for (const { index, status, message = 'no reason given' } of answer.results ?? [])
      if (status === 'rejected') errors.push({ index: from + index, message });
  }
  return { ...total, errors };
}

async function sendBatch({ api, key }: Login, body: string, wait: (seconds: number) => Promise<void>): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    const time = String(Math.floor(now().getTime() / 1000));
    const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    const reply = await send<Answer>(`${api}/ext/v1/provider-responses`, {
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
    if (![429, 503].includes(reply.status) || tried === TRIES_MAX) throw new Error(refusal(reply.status, reply.body));
    await wait(Number(reply.retryAfter ?? PAUSE_SECONDS));
  }
}

function refusal(status: number, { error }: Answer): string {
  const message = typeof error === 'string' ? error : (error?.message ?? 'no reason given');
  if (status === 401) return `${message}. BOOKS_API_KEY must be an active key`;
  return status === 403 ? `${message}. Use a key with the preset "SDK ingestion"` : message;
}
