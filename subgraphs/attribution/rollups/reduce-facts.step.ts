/** Takes out of facts what costing took out of their events: whom they name, the session, dimensions. No figure changes. */
import { isDistributed } from '../../../platform/database/nodes/distribution.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { Home } from '../../../platform/database/nodes/organization-home.ts';
import { query, queryOne } from '../../../platform/database/sql.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToEndUserDay, NO_END_USER } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';

/** What is rolled up by a key stays in the fact, or the sums would no longer be those of the facts. */
const KEPT_DIMENSIONS = `
  given.dimensions || coalesce((
    select jsonb_object_agg(own.key, own.value) from jsonb_each(fact.dimensions) own
    where own.key in (
      select key from rolled_key where rolled_key.organization_id = fact.organization_id and state <> 'retired')), '{}')`;

/** `organization` is SQL: of one, or of each of the facts. */
const reduce = (organization: string, home: Home) => `
  with given as (
    select * from json_to_recordset($1::json) as given (
      "organizationId" uuid, "eventId" uuid, sequence int, "endUserId" uuid, dimensions jsonb,
      "sessionId" text, "spanId" text, "parentSpanId" text)
  ), before as materialized (
    select fact.organization_id, fact.event_id, fact.sequence, fact.event_time, fact.total_cost,
      coalesce(fact.end_user_id, '${NO_END_USER}') as old_id, coalesce(given."endUserId", '${NO_END_USER}') as new_id,
      given."endUserId" as end_user_id, given."sessionId" as session_id, given."spanId" as span_id,
      given."parentSpanId" as parent_span_id, ${KEPT_DIMENSIONS} as dimensions
    from given join cost_fact fact on fact.organization_id = ${organization}
      and fact.event_id = given."eventId" and fact.sequence = given.sequence
    order by 1, 2, 3 for update of fact
  ), reduced as (
    update cost_fact fact set end_user_id = before.end_user_id, session_id = before.session_id, span_id = before.span_id,
      parent_span_id = before.parent_span_id, dimensions = before.dimensions
    from before where fact.organization_id = ${home ?? 'before.organization_id'} and fact.event_id = before.event_id
      and fact.sequence = before.sequence
  ), moved as (
    select organization_id, event_time, side.end_user_id, side.sign * total_cost as total_cost,
      side.sign * (sequence = 0)::int as event_count
    from before cross join lateral (values (old_id, -1), (new_id, 1)) as side (end_user_id, sign)
    where old_id <> new_id
  ), day as materialized (
    select organization_id, date_trunc('day', event_time, 'UTC') as bucket, end_user_id,
      sum(total_cost) as total_cost, sum(event_count)::bigint as event_count
    from moved group by 1, 2, 3
  ), month as (
    select organization_id, date_trunc('month', bucket, 'UTC') as bucket, end_user_id,
      sum(total_cost) as total_cost, sum(event_count)::bigint as event_count
    from day group by 1, 2, 3
  ), added_day as (${addToEndUserDay('day', home)}), added_month as (${addToEndUserMonth('month', home)})
  select coalesce(json_agg(distinct jsonb_build_object(
    'organizationId', organization_id, 'id', old_id, 'day', date_trunc('day', event_time, 'UTC'))), '[]') as left
  from before where old_id <> new_id`;
const REDUCE = reduce('given."organizationId"', null);
const REDUCE_AT_HOME = reduce('$2', '$2');

/** Facts that are not there, or are as given, are left alone. Must run under the lock under which facts arrive. */
export async function reduceFacts(em: EntityManager, facts: readonly ArrivingFact[]): Promise<void> {
  if (facts.length === 0) return;
  // Of one that comes twice the last word holds; each moves its sums once.
  const unique = new Map(facts.map((fact) => [`${fact.organizationId} ${fact.eventId} ${fact.sequence}`, fact]));
  const json = JSON.stringify([...unique.values()]);
  const home = isDistributed(em) ? facts.slice(0, 1).map(({ organizationId }) => organizationId) : [];
  const [own] = home;
  const { left } = await queryOne<{ left: LeftDay[] }>(em, own === undefined ? REDUCE : REDUCE_AT_HOME, [
    json,
    ...home,
  ]);
  if (left.length === 0) return;
  const gone = [JSON.stringify(left), ...home];
  const of = own === undefined ? 'gone."organizationId"' : '$2';
  for (const [table, length] of [
    ['end_user_day', '1 day'],
    ['end_user_month', '1 month'],
  ] as const)
    await query(em, removeEmpty(table, length, of), gone);
  await query(em, forgetEndUsers(of), gone);
}

/** End users whom no fact names any more; whom an event without a cost names comes again by its next event. */
function forgetEndUsers(organization: string): string {
  return `
  delete from end_user using json_to_recordset($1::json) as gone ("organizationId" uuid, id uuid)
  where end_user.organization_id = ${organization} and end_user.id = gone.id and not exists (
    select 1 from cost_fact fact where fact.organization_id = end_user.organization_id and fact.end_user_id = end_user.id)`;
}

interface LeftDay {
  readonly organizationId: string;
  readonly id: string;
  readonly day: string;
}

/** Sums of an end user in buckets in which it has no fact any more. */
function removeEmpty(
  table: 'end_user_day' | 'end_user_month',
  length: '1 day' | '1 month',
  organization: string,
): string {
  const unit = length.slice(2);
  return `
    delete from ${table} bucket
    using json_to_recordset($1::json) as gone ("organizationId" uuid, id uuid, day timestamptz)
    where bucket.organization_id = ${organization} and bucket.end_user_id = gone.id
      and bucket.bucket = date_trunc('${unit}', gone.day, 'UTC')
      and not exists (
        select 1 from cost_fact fact
        where fact.organization_id = bucket.organization_id and fact.event_time >= bucket.bucket
          and fact.event_time < (bucket.bucket at time zone 'UTC' + interval '${length}') at time zone 'UTC'
          and fact.end_user_id = bucket.end_user_id)`;
}
