/**
 * Events of many organizations, written straight into costing's tables and its queue as if they had just been
 * accepted. The API would need a key for every organization, and its time is not measured here.
 */
import type { Client } from 'pg';
import { randomBytes, randomInt } from '#platform/random.ts';
import {
  AGENT_PREFIX,
  AGENT_SHARES,
  CACHED_SHARE,
  DIMENSIONS,
  END_USER_PREFIX,
  END_USER_SHARES,
  EXPERIMENT_SHARE,
  FEATURES,
  NUMBERS_PER_SESSION,
  RELEASES,
  SESSION_SHARE,
} from '../workload/customer.ts';

export const EVENTS_PER_JOB = 5;

/** SQL for a UUID of version 8 derived from a text: the same for the same text. */
export function uuidOf(text: string): string {
  return `overlay(overlay(md5(${text}) placing '8' from 13) placing '8' from 17)::uuid`;
}

const EVENT = `(
  select n, ${uuidOf(`'organization ' || (n / ${EVENTS_PER_JOB} + $4::int) % $1::int`)} as organization_id, ${uuidOf('$3 || n')} as id
  from generate_series(0, $2::int - 1) as n)`;

/**
 * Like the customer's live events, but spread evenly over the names instead of by Zipf's law, and with a model of the
 * catalogue, because the organizations have no rate cards.
 */
const EVENTS = `
  insert into usage_event (organization_id, id, livemode, idempotency_key, account_user_id, model, provider, end_user_external_id,
    input_tokens, output_tokens, cache_read_input_tokens, event_time, received_at, session_id, experiment_id, variant, feature, agent_id,
    metadata, charged)
  select organization_id, id, true, $3 || n, organization_id, 'gpt-4o', 'openai', '${END_USER_PREFIX}' || n % ${END_USER_SHARES.length},
    200 + n % 4000, 20 + n % 900, case when n % 5 < ${CACHED_SHARE} * 5 then 1 + n % 200 end,
    now() - interval '1 second' * (n % 60), now(), case when n % 5 < ${SESSION_SHARE} * 5 then 'session-' || n / ${NUMBERS_PER_SESSION} end,
    case when n % 20 < ${EXPERIMENT_SHARE} * 20 then 'shorter-prompts' end, case when n % 20 < ${EXPERIMENT_SHARE} * 20 then 'a' end,
    'feature-' || n % ${FEATURES}, '${AGENT_PREFIX}' || n % ${AGENT_SHARES.length},
    json_build_object('team', 'team-' || n % ${DIMENSIONS.team}, 'tier', 'tier-' || n % ${DIMENSIONS.tier},
      'region', 'region-' || n % ${DIMENSIONS.region}, 'release', 'release-' || n % ${RELEASES}, 'request_id', 'request-' || n), false
  from ${EVENT} as event`;

const JOBS = `
  insert into pricing_job (organization_id, id, event_ids, bytes, attempt, next_attempt_at, created_at)
  select organization_id, gen_random_uuid(), array_agg(id), 20 * count(*), 0, now(), now()
  from ${EVENT} as event group by organization_id, n / ${EVENTS_PER_JOB}`;

/**
 * Uses the same organizations for the same count, in rotation. All events are queued at one moment, in jobs of a few
 * events.
 */
export async function queueEvents(client: Client, organizations: number, events: number): Promise<void> {
  const run = `${randomBytes(6).toString('hex')}-`;
  const start = randomInt(organizations);
  await client.query('begin');
  for (const statement of [EVENTS, JOBS]) await client.query(statement, [organizations, events, run, start]);
  await client.query('commit');
  // Ingestion does the same.
  await client.query("select pg_notify('pricing_job', '')");
}
