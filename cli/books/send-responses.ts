/** Sends provider responses in bounded batches. Responses sent before are not counted again. */
import { postItems } from './post-items.ts';
import type { Login } from './saved-login.ts';

export interface SentResponses {
  readonly accepted: number;
  readonly duplicates: number;
  readonly failed: number;
  /** Errors, by index of the response. */
  readonly errors: readonly { readonly index: number; readonly message: string }[];
}

const ITEMS_MAX = 100;

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
    const items = responses.slice(from, from + ITEMS_MAX);
    const answer = await postItems(login, '/ext/v1/provider-responses', items, wait);
    total.accepted += answer.accepted ?? 0;
    total.duplicates += answer.duplicates ?? 0;
    total.failed += answer.failed ?? 0;
    for (const { index, status, message = 'no reason given' } of answer.results ?? [])
      if (status === 'rejected') errors.push({ index: from + index, message });
  }
  return { ...total, errors };
}
