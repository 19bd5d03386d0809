/** Books the calls of an uploaded export, as the ingestion endpoints would. */
import { HISTORY_ENDPOINTS, readHistory } from '../../../packages/history-files/read-history.ts';
import type { Fields, HistorySource } from '../../../packages/history-files/history-row.ts';
import { ImportCounts, type ImportedTime, type IngestedItems } from '../../../packages/history-files/import-counts.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { recordRefusal } from '#platform/metrics.ts';
import type { Principal } from '#platform/principal.ts';
import type { RateLimitState } from '#platform/rate-limits/rate-limit.ts';
import { mapInSlices, pace } from '#platform/slices.ts';
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { reduceLitellm } from '#usage/responses/reduce-litellm.ts';
import { reduceResponse } from '#usage/responses/reduce-response.ts';
import type { Dependencies } from '../../http/dependencies.ts';

const RESPONSES = internalGraphql(`mutation BookHistoryOfResponses($items: JSON!, $newEventsMax: Int!) {
  ingestProviderResponses(items: $items, newEventsMax: $newEventsMax)
}`);
const LITELLM = internalGraphql(`mutation BookHistoryOfLitellm($items: JSON!, $newEventsMax: Int!) {
  ingestLitellm(items: $items, newEventsMax: $newEventsMax)
}`);

/** Maximum number of calls in a file: as many as the default rate limit allows in a minute. */
export const CALLS_MAX = 10_000;
/** Rows that are not calls count too. */
const ROWS_MAX = 50_000;
/** A limit, because a row is parsed in one step. */
const ROW_BYTES_MAX = 1_048_576;
const CHUNK_BYTES = 16_384;
const ITEMS_MAX = 500;

interface History extends ImportedTime {
  readonly source: HistorySource;
  readonly file: Buffer;
  /** False: the rows are only counted. */
  readonly isBooked: boolean;
}

/**
 * Fails with `VALIDATION_ERROR` for a file without rows or with too many, and with `RATE_LIMIT_EXCEEDED`, before
 * anything is booked.
 */
export async function bookHistory(
  { gateway, eventLimiter }: Pick<Dependencies, 'gateway' | 'eventLimiter'>,
  principal: Principal,
  { source, file, isBooked, ...time }: History,
): Promise<ImportCounts> {
  const counts = new ImportCounts();
  const items: Fields[] = [];
  for await (const row of readHistory(source, chunksOf(file), ROW_BYTES_MAX)) {
    if (++counts.rows > ROWS_MAX) fail('VALIDATION_ERROR', tooMany(ROWS_MAX, 'rows'));
    const item = counts.take(row, time);
    if (item !== null && items.push(item) > CALLS_MAX) fail('VALIDATION_ERROR', tooMany(CALLS_MAX, 'calls'));
  }
  if (counts.rows === 0) fail('VALIDATION_ERROR', 'The file has no rows');
  if (!isBooked) return counts;
  const bucket = `import:${principal.organizationId}`;
  const taken = await eventLimiter.take(bucket, items.length);
  let unused = items.length;
  try {
    if (!taken.allowed) limited(taken);
    for (let from = 0; from < items.length; from += ITEMS_MAX) {
      const booked = await book(gateway, principal, source, items.slice(from, from + ITEMS_MAX));
      unused -= newEventsOf(booked);
      counts.add(booked);
    }
  } finally {
    await eventLimiter.giveBack(bucket, unused, taken);
  }
  return counts;
}

function newEventsOf({ accepted = 0, duplicates = 0, failed = 0 }: IngestedItems): number {
  return accepted - duplicates + failed;
}

function limited({ limit, windowSeconds, resetSeconds }: RateLimitState): never {
  recordRefusal('rate_limit');
  return fail(
    'RATE_LIMIT_EXCEEDED',
    `At most ${limit.toLocaleString('en')} calls can be imported in ${windowSeconds} seconds: try again in ${resetSeconds} seconds`,
    { retryAfterSeconds: resetSeconds },
  );
}

async function book(
  gateway: GatewayClient,
  principal: Principal,
  source: HistorySource,
  calls: readonly Fields[],
): Promise<IngestedItems> {
  const isLitellm = HISTORY_ENDPOINTS[source] === '/ext/v1/litellm';
  const items = await mapInSlices(calls, (call) => (isLitellm ? reduceLitellm(call) : reduceResponse(call)));
  const sent = { items, newEventsMax: items.length };
  const booked = isLitellm
    ? (await askGateway(gateway, LITELLM, sent, principal)).ingestLitellm
    : (await askGateway(gateway, RESPONSES, sent, principal)).ingestProviderResponses;
  return booked as IngestedItems;
}

/** Yields a file in small chunks with pauses, so that the event loop serves others in between. */
async function* chunksOf(file: Buffer): AsyncGenerator<Uint8Array> {
  const { isDue, rest } = pace();
  for (let from = 0; from < file.length; from += CHUNK_BYTES) {
    yield file.subarray(from, from + CHUNK_BYTES);
    if (isDue()) await rest();
  }
}

function tooMany(max: number, what: string): string {
  return `The file has more than ${max.toLocaleString('en')} ${what}: choose a shorter time, or import it with books import`;
}
