/** Stores calls from a telemetry endpoint like any other events, and records their source and outcome. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { mapInSlices } from '#platform/slices.ts';
import { BATCH_EVENTS_MAX } from '../config.ts';
import { eventParser } from '../events/read-record.ts';
import { batchResult, distinctEvents, repeatsIn } from '../ingestion/batch-result.ts';
import { acceptedEvents, rejectedEvents } from '../ingestion/event-counters.step.ts';
import { ingestEvents } from '../ingestion/ingest-events.step.ts';
import type { IngestionResult } from '../ingestion/ingestion-result.ts';
import type { IngestionSource } from '../ingestion/ingestion-source.ts';
import { settleRepeats } from '../ingestion/settle-repeats.step.ts';
import { requireRoom } from './require-room.step.ts';
import { recordSources, type SourceCount, type TelemetryEndpoint } from './telemetry-source.table.ts';

/** The source that reported a call. */
interface CallSource {
  readonly door: TelemetryEndpoint;
  readonly name: string;
  readonly version: string;
}

export interface SentCall {
  readonly source: CallSource;
  readonly item: unknown;
  /** A reason to reject the item regardless of its content. */
  readonly problem?: string | undefined;
}

export interface IgnoredCall {
  readonly source: CallSource;
  readonly reason: string;
}

export interface CallsResult {
  readonly billed: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Reason for the first rejection. Starts with the error code if a retry may succeed. */
  readonly message: string | null;
  readonly results: readonly IngestionResult[];
}

const NAME_CHARACTERS_MAX = 128;

export interface SentCalls {
  readonly calls: readonly SentCall[];
  readonly ignored: readonly IgnoredCall[];
  /**
   * How many events the sender's rate limit still allows. Fails with `RATE_LIMIT_EXCEEDED` if more of the calls are
   * new.
   */
  readonly newEventsMax: number;
}

/**
 * Events are durable on return. Batches are stored one after the other. After a failure in between, the request can be
 * sent again: each call counts once.
 */
export async function ingestCalls(
  { database, log }: SubgraphContext,
  source: IngestionSource,
  { calls, ignored, newEventsMax }: SentCalls,
): Promise<CallsResult> {
  const results: IngestionResult[] = [];
  const outcomesOfCalls: string[] = [];
  const seen = new Set<string>();
  const parse = eventParser(log);
  const parsedCalls = await mapInSlices(calls, ({ item, problem }) => {
    const event = parse(item);
    if (problem === undefined) return event;
    return { ok: false as const, message: event.ok ? problem : `${event.message}; ${problem}` };
  });
  await requireRoom(database, source, parsedCalls, newEventsMax);
  for (let from = 0; from < calls.length; from += BATCH_EVENTS_MAX) {
    const parsed = parsedCalls.slice(from, from + BATCH_EVENTS_MAX);
    const outcomes = await ingestEvents(database, source, distinctEvents(parsed), log);
    const repeats = await settleRepeats(database, source, repeatsIn(parsed, outcomes), 'call');
    const fresh = new Set(
      outcomes.filter(({ acceptance }) => acceptance.outcome === 'new').map(({ draft }) => draft.idempotencyKey),
    );
    for (const [index, result] of batchResult(parsed, outcomes, repeats).results.entries()) {
      const one = parsed[index];
      const isFirst = one?.ok === true && fresh.has(one.event.idempotencyKey) && !seen.has(one.event.idempotencyKey);
      if (one?.ok === true) seen.add(one.event.idempotencyKey);
      if (result.status === 'rejected') outcomesOfCalls.push(`rejected:${result.error.toLowerCase()}`);
      else outcomesOfCalls.push(isFirst ? 'billed' : 'duplicate');
      const isReplaced = one?.ok === true && repeats.get(one.event)?.kind === 'replaced';
      results.push(result.status === 'rejected' || isFirst || isReplaced ? result : { ...result, message: DUPLICATE });
    }
  }
  const rejected = results.filter((result) => result.status === 'rejected');
  acceptedEvents.inc(results.length - rejected.length);
  for (const { error } of rejected) rejectedEvents.inc({ code: error });
  const counts = sourceCounts(calls, outcomesOfCalls, ignored);
  const duplicates = outcomesOfCalls.filter((outcome) => outcome === 'duplicate').length;
  await database.write(source.organizationId, (tx) =>
    recordSources(tx, source.organizationId, source.livemode, counts, source.receivedAt),
  );
  return {
    billed: results.length - rejected.length - duplicates,
    duplicates,
    rejected: rejected.length,
    message: rejected[0] === undefined ? null : describeRejection(rejected[0]),
    results,
  };
}

function describeRejection({ error, message }: Extract<IngestionResult, { status: 'rejected' }>): string {
  return error === 'VALIDATION_ERROR' ? message : `${error}: ${message}`;
}

/** Message for a call that was already stored and adds nothing new. */
const DUPLICATE = 'This call was reported before';

function sourceCounts(
  calls: readonly SentCall[],
  outcomes: readonly string[],
  ignored: readonly IgnoredCall[],
): SourceCount[] {
  const counts = new Map<string, SourceCount>();
  const add = ({ door, name, version }: CallSource, outcome: string) => {
    const kept = { door, name: storableText(name), version: storableText(version), outcome };
    const key = JSON.stringify(kept);
    counts.set(key, { ...kept, count: (counts.get(key)?.count ?? 0) + 1 });
  };
  for (const [index, { source }] of calls.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) add(source, outcome);
  }
  for (const { source, reason } of ignored) add(source, `ignored:${reason}`);
  return [...counts.values()];
}

/** Replaces characters that the database cannot store, and truncates. */
function storableText(text: string): string {
  return [...text.toWellFormed().replaceAll('\0', '?')].slice(0, NAME_CHARACTERS_MAX).join('');
}
