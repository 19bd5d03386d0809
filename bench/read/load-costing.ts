/** Events, ledger and hour counters, in costing's own tables, as if each event had been ingested and priced. */
import type { Client } from 'pg';
import { SYNTHETIC_EVENTS, type SyntheticSpan } from './synthetic-events.ts';

const EVENTS = `
  insert into usage_event (organization_id, id, livemode, idempotency_key, account_user_id, model, provider, end_user_external_id,
    input_tokens, output_tokens, cache_read_input_tokens, event_time, received_at, feature, agent_id, metadata, charged)
  select organization_id, id, true, 'synthetic-' || n, organization_id, model, provider, end_user,
    input_tokens, output_tokens, cache_read_input_tokens, event_time, event_time, feature, agent_id,
    json_build_object('team', team, 'region', region), false
  from ${SYNTHETIC_EVENTS} as event`;

/** Without a card: like a caller's own cost. */
const ENTRIES = `
  insert into cost_entry (organization_id, event_id, sequence, livemode, event_time, total_cost, input_cost, output_cost, cache_read_cost,
    model_slug, provider_slug, explanation, cause, recorded_at)
  select organization_id, id, 0, true, event_time, input_cost + output_cost + cache_read_cost, input_cost, output_cost, cache_read_cost,
    model, provider, '{"lines":[]}', 'priced', event_time
  from ${SYNTHETIC_EVENTS} as event`;

const HOURS = `
  insert into cost_hour as kept (organization_id, hour, completed, failed, pending_rate_card, total_cost, quantity)
  select organization_id, date_trunc('hour', event_time, 'UTC'), count(*), 0, 0,
    sum(input_cost + output_cost + cache_read_cost), sum(input_tokens + output_tokens)
  from ${SYNTHETIC_EVENTS} as event group by 1, 2
  on conflict (organization_id, hour) do update set completed = kept.completed + excluded.completed,
    total_cost = kept.total_cost + excluded.total_cost, quantity = kept.quantity + excluded.quantity`;

export async function loadCosting(client: Client, span: SyntheticSpan): Promise<void> {
  await client.query('begin');
  for (const statement of [EVENTS, ENTRIES, HOURS]) await client.query(statement, [...span]);
  await client.query('commit');
}

export async function tidyCosting(client: Client): Promise<void> {
  await client.query('vacuum (analyze) usage_event, cost_entry, cost_hour');
}
