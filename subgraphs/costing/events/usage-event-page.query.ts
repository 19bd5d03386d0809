/** Pages of live usage events, newest first, then by id (decision 9, D34). */
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import type { Window } from '../../../kernel/time/window.ts';
import type { StoredAttribution } from './read-metadata.ts';
import { COUNTED_HOURS, countParameters } from './count-usage.query.ts';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

interface StoredUsageEvent extends StoredAttribution {
  readonly id: string;
  /** ISO 8601 UTC with six digits of fraction. */
  readonly eventTime: string;
  /** Input plus output tokens. */
  readonly quantity: number;
}

export interface UsageEventRows {
  readonly total: number;
  readonly events: readonly StoredUsageEvent[];
}

/** Named as rows are: a thousand of them are not renamed one by one. */
const COLUMNS = `
  event.id, ${isoMicros('event.event_time')} as "eventTime",
  (event.input_tokens + event.output_tokens)::float8 as quantity, event.metadata::text as "metadataJson", event.provider,
  event.feature, event.agent_id as "agentId", event.workflow_id as "workflowId", trim_scale(event.units)::text as units`;

/**
 * Of the whole organization. The hour in which the page begins is found by counting hours; only events of that hour are
 * passed over, in the index alone.
 */
export async function pageOfUsageEvents(
  tx: Transaction,
  organizationId: string,
  window: Window,
  { limit, offset }: PageRequest,
): Promise<UsageEventRows> {
  return toRows(
    await query<PageRow>(
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
    ),
  );
}

/** Of one end user, by the external id. */
export async function pageOfEndUserEvents(
  tx: Transaction,
  organizationId: string,
  externalId: string,
  { start, end }: Window,
  { limit, offset }: PageRequest,
): Promise<UsageEventRows> {
  const matches =
    'organization_id = $1 and livemode and end_user_external_id = $2 and event_time >= $3 and event_time < $4';
  return toRows(
    await query<PageRow>(
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
    ),
  );
}

/** A page without events is one row that has the total alone. */
type PageRow = { readonly total: number } & (StoredUsageEvent | { readonly id: null });

function toRows(rows: readonly PageRow[]): UsageEventRows {
  const events = rows.filter((row): row is { readonly total: number } & StoredUsageEvent => row.id !== null);
  return { total: rows[0]?.total ?? 0, events };
}
