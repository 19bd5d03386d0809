/** Spans of one session. Events with the same span id form one span; an event without a span id is its own span. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { canonicalInstant } from '#kernel/time/instant.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

export interface SessionSpanRow {
  readonly spanId: string | null;
  /** Parent of the first event that has one. */
  readonly parentSpanId: string | null;
  /** Time of the first event, ISO 8601 UTC. */
  readonly startedAt: string;
  /** The models of the span, in order of first use. */
  readonly modelSlugs: readonly string[];
  readonly totalCost: string;
  readonly eventCount: string;
  readonly sessionType: string | null;
  readonly sessionCost: string;
  readonly sessionEvents: string;
  readonly sessionSpans: string;
  /** Times of the first and last event, ISO 8601 UTC. */
  readonly sessionStartedAt: string;
  readonly sessionEndedAt: string;
}

const READ_SESSION_SPANS = statement(
  (input: Parameters<{ organizationId: OrganizationId; sessionId: string; limit: number }>) => sql<SessionSpanRow>`
    with fact as (
      select span_id, case when span_id is null then event_id end as lone_event_id, parent_span_id, model_slug,
        event_time, total_cost, sequence, dimensions ->> 'session_type' as session_type
      from cost_fact where organization_id = ${input.organizationId} and session_id = ${input.sessionId}
    ), use as (
      select span_id, lone_event_id, model_slug, min(event_time) as started_at, sum(total_cost) as total_cost,
        count(*) filter (where sequence = 0) as event_count,
        (array_agg(parent_span_id order by event_time, parent_span_id)
          filter (where parent_span_id is not null))[1] as parent_span_id
      from fact group by 1, 2, 3
    ), span as (
      select span_id, lone_event_id, min(started_at) as started_at, sum(total_cost) as total_cost,
        sum(event_count) as event_count,
        array_agg(model_slug order by started_at, model_slug collate "C") as model_slugs,
        (array_agg(parent_span_id order by started_at, parent_span_id)
          filter (where parent_span_id is not null))[1] as parent_span_id
      from use group by 1, 2
    )
    select span_id, parent_span_id, ${sql.raw(isoMicros('started_at'))} as started_at, model_slugs, total_cost, event_count,
      sum(total_cost) over () as session_cost, sum(event_count) over () as session_events,
      count(*) over () as session_spans,
      (select ${sql.raw(isoMicros('min(event_time)'))} from fact) as session_started_at,
      (select ${sql.raw(isoMicros('max(event_time)'))} from fact) as session_ended_at,
      (select session_type from fact where session_type is not null order by event_time, session_type limit 1)
        as session_type
    from span order by span.started_at, span_id collate "C", lone_event_id limit ${input.limit}`,
);

/** Spans of a session, ordered by time, at most `limit`; empty if no event has named the session. */
export async function readSessionSpans(
  tx: Transaction,
  organizationId: OrganizationId,
  sessionId: string,
  limit: number,
): Promise<SessionSpanRow[]> {
  const rows = await tx.all(READ_SESSION_SPANS, { organizationId, sessionId, limit });
  return rows.map((row) => ({ ...row, startedAt: canonicalInstant(row.startedAt) }));
}
