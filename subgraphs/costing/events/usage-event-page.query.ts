/** Pages of live usage events, newest first, then by id (decision 9, D34). */
import type { ByteRow, TakeRow } from '../../../platform/database/connections/byte-rows.ts';
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import type { ReadTransaction } from '../../../platform/database/read-transactions.ts';
import type { Window } from '../../../kernel/time/window.ts';
import { EVENT_COLUMNS } from './usage-events-page.ts';
import { COUNTED_HOURS, countParameters } from './count-usage.query.ts';

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

/** In the order of `EVENT_COLUMNS`. */
const COLUMNS = `
  event.id, ${isoMicros('event.event_time')}, event.input_tokens + event.output_tokens, event.metadata::text, event.provider,
  event.feature, event.agent_id, event.workflow_id, trim_scale(event.units)`;

/**
 * Of the whole organization; gives how many there are. The hour in which the page begins is found by counting hours; only events of that hour are
 * passed over, in the index alone.
 */
export async function pageOfUsageEvents(
  tx: ReadTransaction,
  organizationId: string,
  window: Window,
  { limit, offset }: PageRequest,
  take: TakeRow,
): Promise<number> {
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
    select total.events, ${COLUMNS}
    from (select coalesce(sum(events), 0)::float8 as events from by_hour) as total
    left join (page join usage_event as event on event.organization_id = $1 and event.id = page.id) on true
    order by page.event_time desc, page.id`,
    [...countParameters(organizationId, window), limit, offset],
    take,
  );
}

/** Of one end user, by the external id; gives how many there are. */
export async function pageOfEndUserEvents(
  tx: ReadTransaction,
  organizationId: string,
  externalId: string,
  { start, end }: Window,
  { limit, offset }: PageRequest,
  take: TakeRow,
): Promise<number> {
  const matches =
    'organization_id = $1 and livemode and end_user_external_id = $2 and event_time >= $3 and event_time < $4';
  return readPage(
    tx,
    `
    with page as (
      select id, event_time from usage_event where ${matches} order by event_time desc, id limit $5 offset $6
    )
    select total.events, ${COLUMNS}
    from (select count(*)::float8 as events from usage_event where ${matches}) as total
    left join (page join usage_event as event on event.organization_id = $1 and event.id = page.id) on true
    order by page.event_time desc, page.id`,
    [organizationId, externalId, start.iso, end.iso, limit, offset],
    take,
  );
}

/** A page without events is one row that has the total alone. */
async function readPage(tx: ReadTransaction, text: string, parameters: unknown[], take: TakeRow): Promise<number> {
  let total: number | null = null;
  await tx.readEach(text, parameters, (row: ByteRow) => {
    total ??= Number(row.text(0));
    if (!row.isNull(EVENT_COLUMNS.id)) take(row);
  });
  return total ?? 0;
}
