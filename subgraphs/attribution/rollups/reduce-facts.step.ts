/** Removes from facts what costing removed from their events: end user, session, dimensions. No figure changes. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { byHome } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { countKeptEvents, keepOwners } from '../outcomes/outcome-event.table.ts';
import { taskOf } from '../outcomes/owner.query.ts';
import type { ArrivingFact } from './arriving-fact.ts';
import { addToEndUserDay, NO_END_USER } from './end-user-day.table.ts';
import { addToEndUserMonth } from './end-user-month.table.ts';
import { dropLargeEndUsers } from './large-end-user.table.ts';

/** Dimensions that are rolled up stay in the fact; otherwise the sums would no longer match the facts. */
const keptDimensions = (organization: string) => `
  given.dimensions || coalesce((
    select jsonb_object_agg(own.key, own.value) from jsonb_each(fact.dimensions) own
    where own.key in (
      select key from rolled_key where rolled_key.organization_id = ${organization} and state <> 'retired')), '{}')`;

/** Facts before the change, with what remains of them. */
const before = (organization: string) => `
  select fact.organization_id as "organizationId", fact.event_id as "eventId", fact.sequence,
    date_trunc('day', fact.event_time, 'UTC')::text as day, fact.total_cost::text as cost, (fact.sequence = 0)::int as events,
    coalesce(fact.end_user_id, '${NO_END_USER}') as "oldId", coalesce(given."endUserId", '${NO_END_USER}') as "newId",
    given."endUserId", given."sessionId", given."spanId", given."parentSpanId", ${keptDimensions(organization)} as dimensions
  from json_to_recordset(:items::json) as given (
    "organizationId" uuid, "eventId" uuid, sequence int, "endUserId" uuid, dimensions jsonb,
    "sessionId" text, "spanId" text, "parentSpanId" text)
  join cost_fact fact on fact.organization_id = ${organization}
    and fact.event_id = given."eventId" and fact.sequence = given.sequence
  order by 1, 2, 3 for update of fact`;

const reduce = (organization: string) => `
  update cost_fact fact set end_user_id = item."endUserId", session_id = item."sessionId", span_id = item."spanId",
    parent_span_id = item."parentSpanId", dimensions = item.dimensions
  from json_to_recordset(:items::json) as item (
    "organizationId" uuid, "eventId" uuid, sequence int, "endUserId" uuid, dimensions jsonb,
    "sessionId" text, "spanId" text, "parentSpanId" text)
  where fact.organization_id = ${organization} and fact.event_id = item."eventId" and fact.sequence = item.sequence`;

/** Facts that lose their session or task. */
const losing = (organization: string) => `(
  select fact.* from json_to_recordset(:items::json) as item (
    "organizationId" uuid, "eventId" uuid, sequence int, dimensions jsonb, "sessionId" text)
  join cost_fact fact on fact.organization_id = ${organization} and fact.event_id = item."eventId" and fact.sequence = item.sequence
  where fact.session_id is distinct from item."sessionId" or ${taskOf('fact')} is distinct from ${taskOf('item')})`;

/** Sums that move from one end user to another, by day or month. */
const moved = (unit: 'day' | 'month') => `(
  select "organizationId" as organization_id, date_trunc('${unit}', item.day, 'UTC') as bucket, side.end_user_id,
    sum(side.sign * item.cost) as total_cost, sum(side.sign * item.events)::bigint as event_count
  from json_to_recordset(:items::json) as item (
    "organizationId" uuid, day timestamptz, cost numeric, events int, "oldId" uuid, "newId" uuid)
  cross join lateral (values (item."oldId", -1), (item."newId", 1)) as side (end_user_id, sign)
  group by 1, 2, 3) as moved`;

interface ReducedFacts {
  /** JSON. */
  readonly items: string;
  /** The organization of all items; used only on several nodes. */
  readonly organizationId: OrganizationId;
}

/** `build` gets SQL for the organization's id: a parameter, or the column of each item. */
const reducing = <Row>(build: (organization: string) => string, column: string) =>
  statement<Row, ReducedFacts>(byHome((home) => build(home ?? column)));

const BEFORE = reducing<FactBefore>(before, 'given."organizationId"');
const REDUCE = reducing(reduce, 'item."organizationId"');
const LIST_LOSING = reducing<{ organizationId: OrganizationId }>(
  (organization) => `select distinct organization_id from ${losing(organization)} as fact order by 1`,
  'item."organizationId"',
);
/** To be run in this order, so that the outcomes of the events stay the same. */
const KEEP_OWNERS = [
  statement<object, ReducedFacts>(
    byHome((home) => keepOwners(losing(home ?? 'item."organizationId"'), home ?? 'fact.organization_id')),
  ),
  statement<object, ReducedFacts>(
    byHome((home) => countKeptEvents(losing(home ?? 'item."organizationId"'), home ?? 'event.organization_id')),
  ),
];
/** Statements that must run in this order. */
const MOVE = [
  statement<object, ReducedFacts>(byHome((home) => addToEndUserDay(moved('day'), home))),
  statement<object, ReducedFacts>(byHome((home) => addToEndUserMonth(moved('month'), home))),
];
const CLEAN_UP = [
  reducing((organization) => removeEmpty('end_user_day', '1 day', organization), 'gone."organizationId"'),
  reducing((organization) => removeEmpty('end_user_month', '1 month', organization), 'gone."organizationId"'),
  reducing(forgetEndUsers, 'gone."organizationId"'),
];

/** Facts that are missing or already reduced do not change. Must run under the lock under which facts are written. */
export async function reduceFacts(tx: WriteTransaction, facts: readonly ArrivingFact[]): Promise<void> {
  const [first] = facts;
  if (!first) return;
  // If a fact is given twice, the last version is used and its sums move once.
  const unique = new Map(facts.map((fact) => [`${fact.organizationId} ${fact.eventId} ${fact.sequence}`, fact]));
  const input = (items: readonly object[]) => ({
    items: JSON.stringify(items),
    organizationId: first.organizationId,
  });
  const found = await tx.all(BEFORE, input([...unique.values()]));
  if (found.length === 0) return;
  // Outcomes that are being recorded or erased must be committed before it is decided which events they own.
  for (const { organizationId } of await tx.all(LIST_LOSING, input(found)))
    await lockOrganization(tx, 'outcomes', organizationId);
  for (const keep of KEEP_OWNERS) await tx.run(keep, input(found));
  await tx.run(REDUCE, input(found));
  const left = found.filter(({ oldId, newId }) => oldId !== newId);
  if (left.length === 0) return;
  for (const move of MOVE) await tx.run(move, input(left));
  for (const [organizationId, facts = []] of Object.entries(Object.groupBy(left, (fact) => fact.organizationId)))
    await dropLargeEndUsers(tx, organizationId, [...new Set(facts.flatMap(({ oldId, newId }) => [oldId, newId]))]);
  const gone = left.map(({ organizationId, oldId: id, day }) => ({ organizationId, id, day }));
  for (const cleanUp of CLEAN_UP) await tx.run(cleanUp, input(gone));
}

interface FactBefore {
  readonly organizationId: OrganizationId;
  readonly oldId: string;
  readonly newId: string;
  readonly day: string;
}

/** Deletes end users without facts. An end user named only by unpriced events is added again with its next event. */
function forgetEndUsers(organization: string): string {
  return `
  delete from end_user using json_to_recordset(:items::json) as gone ("organizationId" uuid, id uuid)
  where end_user.organization_id = ${organization} and end_user.id = gone.id and not exists (
    select 1 from cost_fact fact where fact.organization_id = end_user.organization_id and fact.end_user_id = end_user.id)`;
}

/** Deletes an end user's sums in buckets that no longer contain its facts. */
function removeEmpty(
  table: 'end_user_day' | 'end_user_month',
  length: '1 day' | '1 month',
  organization: string,
): string {
  const unit = length.slice(2);
  return `
    delete from ${table} bucket
    using json_to_recordset(:items::json) as gone ("organizationId" uuid, id uuid, day timestamptz)
    where bucket.organization_id = ${organization} and bucket.end_user_id = gone.id
      and bucket.bucket = date_trunc('${unit}', gone.day, 'UTC')
      and not exists (
        select 1 from cost_fact fact
        where fact.organization_id = bucket.organization_id and fact.event_time >= bucket.bucket
          and fact.event_time < (bucket.bucket at time zone 'UTC' + interval '${length}') at time zone 'UTC'
          and fact.end_user_id = bucket.end_user_id)`;
}
