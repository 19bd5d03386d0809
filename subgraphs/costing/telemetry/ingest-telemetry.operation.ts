/** Takes spans or log records, and books the calls to models among them, each once (decision 41). */
import { now } from '../../../platform/clock.ts';
import { earlier, DAY_SECONDS } from '../../../kernel/time/duration.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { ingestionSource } from '../ingestion/ingestion-source.ts';
import { findMapping } from './attribute-mapping.table.ts';
import { callEvent } from './call-event.ts';
import { type CallsResult, type IgnoredCall, ingestCalls, type SentCall } from './ingest-calls.step.ts';
import type { TelemetryDoor } from './telemetry-source.table.ts';
import { readLog, spanFacts, usageEventOf } from './log-call.ts';
import { marksOf, selectCalls } from './select-calls.ts';
import { parseTelemetry, type Signal, type TelemetryRecord } from './telemetry-record.ts';
import { findParents, recordParents } from './telemetry-parent.table.ts';
import type { AttributeMapping } from './attribute-mapping.ts';

export type TelemetryResult = Pick<CallsResult, 'billed' | 'duplicates' | 'rejected' | 'message'>;

/** Fails with `FORBIDDEN` for anyone but an API key. */
export async function ingestTelemetry(
  context: SubgraphContext,
  { signal, groups }: { readonly signal: Signal; readonly groups: unknown },
): Promise<TelemetryResult> {
  const source = ingestionSource(context.principal, now());
  const { organizationId, receivedAt } = source;
  const { database } = context;
  const records = parseTelemetry(groups);
  const { mapping, parents: known } = await database.read(organizationId, async (tx) => ({
    mapping: await findMapping(tx, organizationId),
    parents: signal === 'TRACES' ? await findParents(tx, organizationId, marksOf(records)) : new Set<string>(),
  }));
  const { calls, ignored, parents } =
    signal === 'TRACES' ? readSpans(records, mapping, known) : readLogs(records, mapping);
  const result = await ingestCalls(context, source, calls, ignored);
  if (parents.length > 0) {
    await database.forOrganization(organizationId, (em) =>
      recordParents(em, organizationId, parents, receivedAt, earlier(receivedAt, DAY_SECONDS)),
    );
  }
  return result;
}

interface Reading {
  readonly calls: readonly SentCall[];
  readonly ignored: readonly IgnoredCall[];
  readonly parents: readonly string[];
}

function readSpans(
  records: readonly TelemetryRecord[],
  mapping: AttributeMapping,
  known: ReadonlySet<string>,
): Reading {
  const { calls, ignored, marks } = selectCalls(records, known);
  return {
    calls: calls.map((call) => ({
      source: sourceOf(call.record, 'otlp-traces'),
      item: callEvent(call, mapping, spanFacts(call.record)),
    })),
    ignored: ignored.map(({ record, reason }) => ({ source: sourceOf(record, 'otlp-traces'), reason })),
    parents: marks,
  };
}

function readLogs(records: readonly TelemetryRecord[], mapping: AttributeMapping): Reading {
  const calls: SentCall[] = [];
  const ignored: IgnoredCall[] = [];
  for (const record of records) {
    const source = sourceOf(record, 'otlp-logs');
    const event = usageEventOf(record);
    if (event !== undefined) {
      calls.push({ source, item: event });
      continue;
    }
    const reading = readLog(record);
    if (!reading.ok) ignored.push({ source, reason: reading.reason });
    else {
      const call = { record, usage: reading.usage, ancestors: [] };
      calls.push({ source, item: callEvent(call, mapping, reading.facts) });
    }
  }
  return { calls, ignored, parents: [] };
}

function sourceOf({ scope }: TelemetryRecord, door: TelemetryDoor) {
  return { door, name: scope.name, version: scope.version };
}
