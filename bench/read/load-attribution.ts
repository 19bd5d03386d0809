/** Writes facts, end users and rollups into attribution's own tables, as if the follower had read every event. */
import type { Client } from 'pg';
import { endUserId } from '#kernel/end-user-id.ts';
import { END_USER_PREFIX, SYNTHETIC_EVENTS, type SyntheticSpan } from './synthetic-events.ts';

const SUMMED = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'reasoning_tokens',
  'total_cost',
  'input_cost',
  'output_cost',
  'cache_creation_cost',
  'cache_read_cost',
  'reasoning_cost',
] as const;

const FACTS = `
  insert into cost_fact (organization_id, event_id, sequence, event_time, end_user_id, model_slug, provider_id, provider_slug, provider_name,
    input_tokens, output_tokens, cache_read_input_tokens, total_cost, input_cost, output_cost, cache_read_cost, dimensions, arrival)
  select event.organization_id, event.id, 0, event_time, end_user.id, model, provider, provider, provider,
    input_tokens, output_tokens, cache_read_input_tokens, input_cost + output_cost + cache_read_cost, input_cost, output_cost, cache_read_cost,
    jsonb_build_object('team', team, 'region', region, 'feature', feature, 'agent_id', agent_id), 0
  from ${SYNTHETIC_EVENTS} as event
  join end_user on end_user.organization_id = event.organization_id and end_user.external_id = event.end_user`;

const MODEL = 'jsonb_build_array(provider_id, provider_slug, provider_name, model_slug)::text';

/**
 * One key at a time (`$2`). The empty key is the total, `model` includes its provider, and the pair has both of its
 * values.
 */
const HOURS = `
  insert into rollup_hour (organization_id, dimension_key, bucket, dimension_value, ${SUMMED.join(', ')}, event_count)
  select organization_id, $2::text, date_trunc('hour', event_time, 'UTC'),
    case $2::text when 'model' then ${MODEL} when '' then '' when E'\\x1fagent_id\\x1fmodel' then jsonb_build_array(dimensions ->> 'agent_id', ${MODEL})::text
      else coalesce(dimensions ->> $2::text, 'Unassigned') end,
    ${SUMMED.map((column) => `sum(${column})`).join(', ')}, count(*)
  from cost_fact where organization_id = $1 group by 1, 2, 3, 4`;

const DAYS = `
  insert into rollup_day (organization_id, dimension_key, bucket, dimension_value, ${SUMMED.join(', ')}, event_count)
  select organization_id, dimension_key, date_trunc('day', bucket, 'UTC'), dimension_value,
    ${SUMMED.map((column) => `sum(${column})`).join(', ')}, sum(event_count)
  from rollup_hour where organization_id = $1 group by 1, 2, 3, 4`;

const END_USER_DAYS = `
  insert into end_user_day (organization_id, bucket, end_user_id, total_cost, event_count)
  select organization_id, date_trunc('day', event_time, 'UTC'), coalesce(end_user_id, '00000000-0000-0000-0000-000000000000'),
    sum(total_cost), count(*)
  from cost_fact where organization_id = $1 group by 1, 2, 3`;

const END_USER_MONTHS = `
  insert into end_user_month (organization_id, bucket, end_user_id, total_cost, event_count)
  select organization_id, date_trunc('month', bucket, 'UTC'), end_user_id, sum(total_cost), sum(event_count)
  from end_user_day where organization_id = $1 group by 1, 2, 3`;

export async function loadEndUsers(
  client: Client,
  organizationId: string,
  endUsers: number,
  firstSeenAt: string,
): Promise<void> {
  const externalIds = Array.from({ length: endUsers }, (_, number) => `${END_USER_PREFIX}${number}`);
  await client.query(
    `
    insert into end_user (organization_id, id, external_id, first_seen_at)
    select $1, id, external_id, $2 from unnest($3::uuid[], $4::text[]) as given (id, external_id)
    on conflict (organization_id, id) do nothing`,
    [organizationId, firstSeenAt, externalIds.map((externalId) => endUserId(organizationId, externalId)), externalIds],
  );
}

export async function loadFacts(client: Client, window: SyntheticSpan): Promise<void> {
  await client.query(FACTS, [...window]);
}

/** Rebuilds every rollup of the organization from its facts, for its rolled-up keys. */
export async function rollUp(client: Client, organizationId: string): Promise<void> {
  const { rows: keys } = await client.query<{ key: string }>(
    "select key from rolled_key where organization_id = $1 and state = 'ready'",
    [organizationId],
  );
  await client.query('begin');
  for (const table of ['rollup_hour', 'rollup_day', 'end_user_day', 'end_user_month']) {
    await client.query(`delete from ${table} where organization_id = $1`, [organizationId]);
  }
  for (const { key } of keys) await client.query(HOURS, [organizationId, key]);
  for (const statement of [DAYS, END_USER_DAYS, END_USER_MONTHS]) await client.query(statement, [organizationId]);
  await client.query('commit');
}

export async function tidyAttribution(client: Client): Promise<void> {
  await client.query('vacuum (analyze) cost_fact, end_user, rollup_hour, rollup_day, end_user_day, end_user_month');
}
