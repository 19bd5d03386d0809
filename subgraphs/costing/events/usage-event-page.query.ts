/** Pages of live usage events, newest first, then by id (decision 9, D34). */
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import type { Window } from '#kernel/time/window.ts';
import type { StoredAttribution } from './read-metadata.ts';
import { COUNTED_HOURS, countParameters } from './count-usage.query.ts';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** A stored event of a page. */
export interface UsageEventRow extends StoredAttribution {
  readonly id: string;
  /** ISO 8601 UTC with six fraction digits. */
  readonly eventTime: string;
  /** Input plus output tokens. */
  readonly quantity: number;
}

export interface UsageEventRows {
  readonly total: number;
  readonly events: readonly UsageEventRow[];
}

const COLUMNS = `
  event.id, ${isoMicros('event.event_time')} as event_time, (event.input_tokens + event.output_tokens)::float8 as quantity,
  event.metadata::text as metadata_json, event.provider, event.feature, event.agent_id, event.workflow_id,
  trim_scale(event.units)::text as units`;

/**
 * A page of the organization's events. The hour counters locate the hour in which the page begins, so that the offset
 * only skips index rows of that hour.
 */
export async function pageOfUsageEvents(
  tx: Transaction,
  organizationId: string,
  window: Window,
  { limit, offset }: PageRequest,
): Promise<UsageEventRows> {
  return readPage(
    tx,
    `
    with by_hour as (
      select hour, sum(events) as events from (${COUNTED_HOURS}) as counted group by hour
    ), placed as (
      select hour, events, sum(events) over (order by hour desc) - events as newer from by_hour
    ), first_hour as (
      select least($3, hour + interval '1 hour') as until, $7 - newer as skipped
      from placed where newer <= $7 and newer + events > $7
    ), page as (
      select id, event_time from usage_event
      where organization_id = $1 and livemode and event_time >= $2 and event_time < (select until from first_hour)
      order by event_time desc, id limit $6 offset (select skipped from first_hour)
    )
    select total.events as total, ${COLUMNS}
    from (select coalesce(sum(events), 0)::float8 as events from by_hour) as total
    left join (page join usage_event as event on event.organization_id = $1 and event.id = page.id) on true
    order by page.event_time desc, page.id`,
    [...countParameters(organizationId, window), limit, offset],
  );
}

/** A page of one end user's events. */
export async function pageOfEndUserEvents(
  tx: Transaction,
  organizationId: string,
  externalId: string,
  { start, end }: Window,
  { limit, offset }: PageRequest,
): Promise<UsageEventRows> {
  const matches =
    'organization_id = $1 and livemode and end_user_external_id = $2 and event_time >= $3 and event_time < $4';
  return readPage(
    tx,
    `
    with page as (
      select id, event_time from usage_event where ${matches} order by event_time desc, id limit $5 offset $6
    )
    select total.events as total, ${COLUMNS}
    from (select count(*)::float8 as events from usage_event where ${matches}) as total
    left join (page join usage_event as event on event.organization_id = $1 and event.id = page.id) on true
    order by page.event_time desc, page.id`,
    [organizationId, externalId, start.iso, end.iso, limit, offset],
  );
}

/** A page without events is one row with only the total. */
async function readPage(tx: Transaction, text: string, parameters: unknown[]): Promise<UsageEventRows> {
  const rows = await query<{ total: number } & UsageEventRow>(tx, text, parameters);
  return { total: rows[0]?.total ?? 0, events: rows.filter(({ id }) => id !== null) };
}
