/** Pages of live usage events, newest first, then by id (decision 9, D34). */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Statement, statement } from '#platform/database/statement.ts';
import type { Window } from '#kernel/time/window.ts';
import type { StoredAttribution } from './read-metadata.ts';
import { COUNTED_HOURS, countInput, type CountInput } from './count-usage.query.ts';

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

type PageRow = { readonly total: number } & UsageEventRow;

/** SQL for the events of the query `page`, each with the number of all events. One row without an event if the page is empty. */
function eventsOfPage(total: string): string {
  return `
    select total.events as total, ${COLUMNS}
    from (${total}) as total
    left join (page join usage_event as event on event.organization_id = :organizationId and event.id = page.id) on true
    order by page.event_time desc, page.id`;
}

/** The hour counters locate the hour in which the page begins, so that the offset only skips index rows of that hour. */
const PAGE = statement<PageRow, CountInput & PageRequest>(`
    with by_hour as (
      select hour, sum(events) as events from (${COUNTED_HOURS}) as counted group by hour
    ), placed as (
      select hour, events, sum(events) over (order by hour desc) - events as newer from by_hour
    ), first_hour as (
      select least(:end, hour + interval '1 hour') as until, :offset - newer as skipped
      from placed where newer <= :offset and newer + events > :offset
    ), page as (
      select id, event_time from usage_event
      where organization_id = :organizationId and livemode and event_time >= :start and event_time < (select until from first_hour)
      order by event_time desc, id limit :limit offset (select skipped from first_hour)
    )
    ${eventsOfPage('select coalesce(sum(events), 0)::float8 as events from by_hour')}`);

/** A page of the organization's events. */
export async function pageOfUsageEvents(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  page: PageRequest,
): Promise<UsageEventRows> {
  return readPage(tx, PAGE, { ...countInput(organizationId, window), ...page });
}

interface OfEndUser {
  readonly organizationId: OrganizationId;
  readonly externalId: string;
  readonly start: string;
  readonly end: string;
}

const OF_END_USER =
  'organization_id = :organizationId and livemode and end_user_external_id = :externalId and event_time >= :start and event_time < :end';

const END_USER_PAGE = statement<PageRow, OfEndUser & PageRequest>(`
    with page as (
      select id, event_time from usage_event where ${OF_END_USER} order by event_time desc, id limit :limit offset :offset
    )
    ${eventsOfPage(`select count(*)::float8 as events from usage_event where ${OF_END_USER}`)}`);

/** A page of one end user's events. */
export async function pageOfEndUserEvents(
  tx: Transaction,
  organizationId: OrganizationId,
  externalId: string,
  { start, end }: Window,
  page: PageRequest,
): Promise<UsageEventRows> {
  return readPage(tx, END_USER_PAGE, { organizationId, externalId, start: start.iso, end: end.iso, ...page });
}

/** A page without events is one row with only the total. */
async function readPage<Input>(
  tx: Transaction,
  page: Statement<Input, PageRow>,
  input: Input,
): Promise<UsageEventRows> {
  const rows = await tx.all(page, input);
  return { total: rows[0]?.total ?? 0, events: rows.filter(({ id }) => id !== null) };
}
