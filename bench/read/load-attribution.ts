/**
 * Writes facts and end users into attribution's own tables, as if the consumer of the feed had read every event. The
 * days are pending then, and the service rolls them up itself.
 */
import type { Client } from 'pg';
import { endUserId } from '#kernel/end-user-id.ts';
import { LARGE_END_USER_EVENTS } from '../../subgraphs/attribution/config.ts';
import { END_USER_PREFIX, END_USER_SHARES } from '../workload/customer.ts';
import { LINES, parametersOf, SYNTHETIC_EVENTS, type SyntheticSpan } from './synthetic-events.ts';

/** The facts of one transaction of the consumer. */
const FACTS_PER_ARRIVAL = 500;

const CHARGES = LINES.map(
  ([name, tokens, , cost]) =>
    `case when ${tokens} is null then '[]' else jsonb_build_array(jsonb_build_array('${name}', ${tokens}::text, ${cost}::text)) end`,
).join(' || ');

const FACTS = `
  insert into cost_fact (organization_id, event_id, sequence, event_time, end_user_id, model_slug, provider_id, provider_slug, provider_name,
    input_tokens, output_tokens, cache_read_input_tokens, total_cost, input_cost, output_cost, cache_read_cost, charges, dimensions, session_id, arrival)
  select event.organization_id, event.id, 0, event_time, end_user.id, model, provider, provider, provider,
    input_tokens, output_tokens, cache_read_input_tokens, total_cost, input_cost, output_cost, cache_read_cost, ${CHARGES},
    metadata || jsonb_strip_nulls(jsonb_build_object('feature', feature, 'agent_id', agent_id, 'experiment_id', experiment_id, 'variant', variant)),
    session_id, $10::bigint + 1 + n / ${FACTS_PER_ARRIVAL}
  from ${SYNTHETIC_EVENTS} as event
  join end_user on end_user.organization_id = event.organization_id and end_user.external_id = event.end_user`;

const END_USER_DAYS = `
  insert into end_user_day as kept (organization_id, bucket, end_user_id, total_cost, event_count)
  select organization_id, date_trunc('day', event_time, 'UTC'), end_user_id, sum(total_cost), count(*)
  from cost_fact where organization_id = $1 and arrival > $2 and end_user_id is not null group by 1, 2, 3
  on conflict (organization_id, bucket, end_user_id) do update
  set total_cost = kept.total_cost + excluded.total_cost, event_count = kept.event_count + excluded.event_count`;

const END_USER_MONTHS = `
  insert into end_user_month (organization_id, bucket, end_user_id, total_cost, event_count)
  select organization_id, date_trunc('month', bucket, 'UTC'), end_user_id, sum(total_cost), sum(event_count)
  from end_user_day where organization_id = $1 group by 1, 2, 3`;

const LARGE_END_USERS = `
  insert into large_end_user (organization_id, end_user_id, summed_from)
  select distinct organization_id, end_user_id, 'infinity'::date from end_user_month
  where organization_id = $1 and event_count >= ${LARGE_END_USER_EVENTS}
  on conflict (organization_id, end_user_id) do update set summed_from = 'infinity'`;

const PENDING_DAYS = `
  insert into pending_day (organization_id, day, arrival, facts, changed_at)
  select organization_id, (event_time at time zone 'UTC')::date, $2, count(*), now() - interval '1 hour'
  from cost_fact where organization_id = $1 and arrival > $2 group by 1, 2`;

export async function loadEndUsers(client: Client, organizationId: string, firstSeenAt: string): Promise<void> {
  const externalIds = Array.from(END_USER_SHARES, (_, rank) => `${END_USER_PREFIX}${rank}`);
  await client.query(
    `
    insert into end_user (organization_id, id, external_id, first_seen_at)
    select $1, id, external_id, $2 from unnest($3::uuid[], $4::text[]) as given (id, external_id)
    on conflict (organization_id, id) do nothing`,
    [organizationId, firstSeenAt, externalIds.map((externalId) => endUserId(organizationId, externalId)), externalIds],
  );
}

/** `arrival`: arrival number of the last fact before all loads. */
export async function loadFacts(client: Client, span: SyntheticSpan, arrival = 0): Promise<void> {
  await client.query(FACTS, [...parametersOf(span), arrival]);
}

/** The arrival of the organization's last fact. */
export async function readArrival(client: Client, organizationId: string): Promise<number> {
  const { rows } = await client.query<{ arrival: number }>(
    'select arrival::float8 as arrival from feed_place where organization_id = $1',
    [organizationId],
  );
  return rows[0]!.arrival;
}

/** Adds the facts after `arrival` to the sums of end users, and makes their days pending. */
export async function addToSums(client: Client, organizationId: string, arrival: number): Promise<void> {
  await client.query('begin');
  await client.query(END_USER_DAYS, [organizationId, arrival]);
  await client.query('delete from end_user_month where organization_id = $1', [organizationId]);
  await client.query(END_USER_MONTHS, [organizationId]);
  await client.query('delete from end_user_model_day where organization_id = $1', [organizationId]);
  await client.query(LARGE_END_USERS, [organizationId]);
  await client.query(PENDING_DAYS, [organizationId, arrival]);
  await client.query(
    `update feed_place set arrival = (select max(arrival) from cost_fact where organization_id = $1) where organization_id = $1`,
    [organizationId],
  );
  await client.query('commit');
}

export async function tidyAttribution(client: Client): Promise<void> {
  await client.query(
    'vacuum (analyze) cost_fact, end_user, rollup_hour, rollup_day, charge_day, end_user_day, end_user_month, end_user_model_day, large_end_user',
  );
}
