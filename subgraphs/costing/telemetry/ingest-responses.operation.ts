/** Takes providers' own responses, or what LiteLLM reports of calls: each is one event, through whichever door (decision 41). */
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import { ingestionSource } from '../ingestion/ingestion-source.ts';
import { type IgnoredCall, ingestCalls, type SentCall } from './ingest-calls.step.ts';
import { readLitellmCall } from './litellm-call.ts';
import { readProviderResponse } from './provider-response.ts';

const ITEMS_MAX = 1_000;

/** One for each item, in order. */
type ItemResult = { readonly index: number } & Readonly<Record<string, unknown>>;

export interface ResponsesResult {
  readonly accepted: number;
  readonly duplicates: number;
  readonly ignored: number;
  readonly failed: number;
  readonly results: readonly ItemResult[];
}

type Reading =
  | { readonly ok: true; readonly provider: string; readonly item: unknown }
  | { readonly ok: false; readonly provider: string; readonly reason: string };

/** Fails with `VALIDATION_ERROR` unless `items` is an array of 1 to 1,000. */
export async function ingestProviderResponses(context: SubgraphContext, items: unknown): Promise<ResponsesResult> {
  return ingest(context, 'provider-responses', items, (item, at) => ({ ok: true, ...readProviderResponse(item, at) }));
}

/** The same for payloads of LiteLLM; what it answered from its cache, and what failed, is ignored. */
export async function ingestLitellm(context: SubgraphContext, items: unknown): Promise<ResponsesResult> {
  return ingest(context, 'litellm', items, readLitellmCall);
}

async function ingest(
  context: SubgraphContext,
  door: string,
  items: unknown,
  read: (item: unknown, receivedAt: Date) => Reading,
): Promise<ResponsesResult> {
  const source = ingestionSource(context.principal, now());
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX)
    return fail('VALIDATION_ERROR', `A body must hold 1 to ${ITEMS_MAX} items`);
  const readings = items.map((item) => read(item, source.receivedAt));
  const calls: SentCall[] = [];
  const ignored: IgnoredCall[] = [];
  for (const reading of readings) {
    const from = { door, name: reading.provider, version: '' };
    if (reading.ok) calls.push({ source: from, item: reading.item });
    else ignored.push({ source: from, reason: reading.reason });
  }
  const { billed, duplicates, rejected, results } = await ingestCalls(context, source, calls, ignored);
  let next = 0;
  return {
    accepted: billed + duplicates,
    duplicates,
    ignored: ignored.length,
    failed: rejected,
    results: readings.map((reading, index) =>
      reading.ok ? { index, ...results[next++]! } : { index, status: 'ignored', message: reading.reason },
    ),
  };
}
