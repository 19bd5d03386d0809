/** Shared by all telemetry endpoints: ingests each reported call as one event (decision 41). */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { unreadableReason } from '#schema/unreadable-event.ts';
import { ingestionSource } from '../ingestion/ingestion-source.ts';
import { type IgnoredCall, ingestCalls, type SentCall } from './ingest-calls.step.ts';
import { recordReader } from '../events/read-record.ts';
import type { CachedTokens } from '../resolvers.generated.ts';
import { withStatedCachedTokens } from './stated-cached-tokens.ts';
import { objectOf } from '#kernel/json/json-object.ts';
import type { TelemetryEndpoint } from './telemetry-source.table.ts';

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

/**
 * An item converted to an event, or the reason why it is not one. `problem`: a reason to reject an event that is
 * otherwise valid.
 */
export type ReadItem =
  | { readonly ok: true; readonly provider: string; readonly item: unknown; readonly problem?: string }
  | { readonly ok: false; readonly provider: string; readonly reason: string };

export interface SentResponses {
  readonly items: unknown;
  readonly cachedTokens?: CachedTokens | null | undefined;
  readonly newEventsMax: number;
}

/** Fails with `VALIDATION_ERROR` unless `items` is an array of 1 to 1,000. */
export async function ingestResponses(
  context: SubgraphContext,
  door: TelemetryEndpoint,
  { items, cachedTokens, newEventsMax }: SentResponses,
  read: (item: unknown, receivedAt: Date) => ReadItem,
): Promise<ResponsesResult> {
  const source = ingestionSource(context.principal, now());
  if (!Array.isArray(items) || items.length === 0 || items.length > ITEMS_MAX)
    return fail('VALIDATION_ERROR', `The body must contain 1 to ${ITEMS_MAX} items`);
  const readRecord = recordReader(context.log);
  const rejectedItem = (unreadable: object): ReadItem => ({ ok: true, provider: 'unknown', item: unreadable });
  const readings = items.map((item: unknown) =>
    isUnreadable(item) ? rejectedItem(item) : readRecord(() => read(item, source.receivedAt), rejectedItem),
  );
  const calls: SentCall[] = [];
  const ignored: IgnoredCall[] = [];
  for (const reading of readings) {
    const from = { door, name: reading.provider, version: '' };
    if (reading.ok) calls.push({ source: from, ...reading });
    else ignored.push({ source: from, reason: reading.reason });
  }
  const { billed, duplicates, rejected, results } = await ingestCalls(context, source, {
    calls: withStatedCachedTokens(calls, cachedTokens),
    ignored,
    newEventsMax,
  });
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

function isUnreadable(item: unknown): item is object {
  return unreadableReason(objectOf(item)) !== null;
}
