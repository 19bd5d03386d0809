/** Ingests spans or log records, and books each model call among them once (decision 41). */
import { now } from '#platform/clock.ts';
import { earlier, DAY_SECONDS } from '#kernel/time/duration.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { ingestionSource } from '../ingestion/ingestion-source.ts';
import { findMapping } from './attribute-mapping.table.ts';
import { callEvent } from '#usage/telemetry/call-event.ts';
import { type CallsResult, type IgnoredCall, ingestCalls, type SentCall } from './ingest-calls.step.ts';
import type { Log } from '#platform/log.ts';
import { recordReader } from '../events/read-record.ts';
import type { CachedTokens } from '../resolvers.generated.ts';
import { withStatedCachedTokens } from './stated-cached-tokens.ts';
import type { TelemetryEndpoint } from './telemetry-source.table.ts';
import { readLog, spanFacts, usageEventOf } from '#usage/telemetry/log-call.ts';
import { marksOf, selectCalls } from '#usage/telemetry/select-calls.ts';
import { parseTelemetry, type Signal, type TelemetryRecord } from '#usage/telemetry/telemetry-record.ts';
import { taskOutcome } from '#usage/telemetry/task-outcome.ts';
import { findParents, recordParents } from './telemetry-parent.table.ts';
import type { AttributeMapping } from '#usage/telemetry/attribute-mapping.ts';

export interface TelemetryResult extends Pick<CallsResult, 'billed' | 'duplicates' | 'rejected' | 'message'> {
  /** Outcomes reported by spans, for `ingestOutcomes`. */
  readonly outcomes: unknown[];
}

interface TelemetryRequest {
  readonly signal: Signal;
  readonly groups: unknown;
  readonly cachedTokens?: CachedTokens | null | undefined;
  readonly newEventsMax: number;
}

/** Fails with `FORBIDDEN` unless the caller uses an API key. */
export async function ingestTelemetry(
  context: SubgraphContext,
  { signal, groups, cachedTokens, newEventsMax }: TelemetryRequest,
): Promise<TelemetryResult> {
  const source = ingestionSource(context.principal, now());
  const { organizationId, receivedAt } = source;
  const { database } = context;
  const records = parseTelemetry(groups);
  const { mapping, parents: known } = await database.snapshot(organizationId, async (tx) => ({
    mapping: await findMapping(tx, organizationId),
    parents: signal === 'TRACES' ? await findParents(tx, organizationId, marksOf(records)) : new Set<string>(),
  }));
  const { calls, ignored, parents, outcomes } =
    signal === 'TRACES' ? readSpans(records, mapping, known, context.log) : readLogs(records, mapping, context.log);
  const result = await ingestCalls(context, source, {
    calls: withStatedCachedTokens(calls, cachedTokens),
    ignored,
    newEventsMax,
  });
  if (parents.length > 0) {
    await database.write(organizationId, (tx) =>
      recordParents(tx, organizationId, parents, receivedAt, earlier(receivedAt, DAY_SECONDS)),
    );
  }
  return { ...result, outcomes };
}

interface Reading {
  readonly calls: readonly SentCall[];
  readonly ignored: readonly IgnoredCall[];
  readonly parents: readonly string[];
  readonly outcomes: unknown[];
}

function readSpans(
  records: readonly TelemetryRecord[],
  mapping: AttributeMapping,
  known: ReadonlySet<string>,
  log: Log,
): Reading {
  const readRecord = recordReader(log);
  const { calls, ignored, tasks, unreadable, marks } = selectCalls(records, known, readRecord);
  const read = calls.map((call) => ({
    record: call.record,
    item: readRecord<object>(
      () => callEvent(call, mapping, spanFacts(call.record)),
      (rejected) => rejected,
    ),
  }));
  return {
    calls: [...read, ...unreadable].map(({ record, item }) => ({ source: sourceOf(record, 'otlp-traces'), item })),
    ignored: ignored.map(({ record, reason }) => ({ source: sourceOf(record, 'otlp-traces'), reason })),
    parents: marks,
    outcomes: tasks.flatMap((task) => taskOutcome(task, mapping) ?? []),
  };
}

function readLogs(records: readonly TelemetryRecord[], mapping: AttributeMapping, log: Log): Reading {
  const readRecord = recordReader(log);
  const calls: SentCall[] = [];
  const ignored: IgnoredCall[] = [];
  for (const record of records) {
    const source = sourceOf(record, 'otlp-logs');
    const reading = readRecord<LogReading>(
      () => readLogRecord(record, mapping),
      (item) => ({ item }),
    );
    if ('reason' in reading) ignored.push({ source, reason: reading.reason });
    else calls.push({ source, item: reading.item });
  }
  return { calls, ignored, parents: [], outcomes: [] };
}

type LogReading = { readonly item: unknown } | { readonly reason: string };

function readLogRecord(record: TelemetryRecord, mapping: AttributeMapping): LogReading {
  const event = usageEventOf(record);
  if (event !== undefined) return { item: event };
  const reading = readLog(record);
  if (!reading.ok) return { reason: reading.reason };
  return { item: callEvent({ record, usage: reading.usage, ancestors: [] }, mapping, reading.facts) };
}

function sourceOf({ scope }: TelemetryRecord, door: TelemetryEndpoint) {
  return { door, name: scope.name, version: scope.version };
}
