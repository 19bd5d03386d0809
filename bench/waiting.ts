/**
 * Resident memory of the Node process while events that waited for a rate card are priced: the maximum number of events
 * of the maximum size, of one organization and at once, when the card is added.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import { connectDatabase } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization } from './support/organization.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Report } from './support/report.ts';
import { startService } from './support/start-service.ts';

const EVENTS = 40_000;
const EVENTS_PER_STATEMENT = 4_000;
const MODEL = 'fat-model';
const SAMPLE_MILLISECONDS = 100;
const SECONDS_MAX = 1_800;

/** 28 KB of metadata; every value is a dimension of the fact. */
const INSERT = `
  with event as (
    select gen_random_uuid() as id, now() - interval '1 second' * n as event_time, n from generate_series($2::int + 1, $3::int) as n
  ), fat as materialized (
    select json_object_agg('key-' || key, repeat('x', 240)) as metadata from generate_series(1, 112) as key
  ), stored as (
    insert into usage_event (organization_id, id, livemode, idempotency_key, account_user_id, model, input_tokens, output_tokens,
      event_time, received_at, metadata, charged)
    select $1, id, true, 'fat-' || n, $1, '${MODEL}', 1000, 100, event_time, now(), metadata, false from event cross join fat
  ), waiting as (
    insert into unpriced_event (organization_id, event_id, status, livemode, event_time, model, reason, since)
    select $1, id, 'pending_rate_card', true, event_time, '${MODEL}', 'No rate card matches', now() from event
  )
  insert into cost_hour as kept (organization_id, hour, completed, failed, pending_rate_card, total_cost, quantity)
  select $1, date_trunc('hour', event_time, 'UTC'), 0, 0, count(*), 0, 1100 * count(*) from event group by 2
  on conflict (organization_id, hour) do update set pending_rate_card = kept.pending_rate_card + excluded.pending_rate_card,
    quantity = kept.quantity + excluded.quantity`;

const CARD = graphql(
  `mutation BenchCard($model: String!) { rateSet(input: { model: $model, input: "1", output: "2" }) { rate { requeuedEvents } userErrors { message code } } }`,
);

export async function measureWaiting({ progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const { id } = await createOrganization(service, 'Waiting');
  const { client, close } = await connectDatabase(service.dataDirectory, 'costing');
  for (let after = 0; after < EVENTS; after += EVENTS_PER_STATEMENT)
    await client.query(INSERT, [id, after, after + EVENTS_PER_STATEMENT]);
  await settle(service);
  const before = residentMegabytes(service.pid);
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(residentMegabytes(service.pid)), SAMPLE_MILLISECONDS);
  const started = elapsedMilliseconds();
  progress(`waiting: ${EVENTS} events wait`);
  await askOperator(service, CARD, { model: MODEL });
  const left = async () =>
    (
      await client.query<{ left: number }>(
        'select (select count(*)::int from unpriced_event) + (select count(*)::int from pricing_job) as left',
      )
    ).rows[0]?.left;
  while ((await left()) !== 0) await pause(SAMPLE_MILLISECONDS);
  const priced = elapsedMilliseconds() - started;
  await settle(service, SECONDS_MAX);
  clearInterval(sampling);
  const seconds = (elapsedMilliseconds() - started) / 1_000;
  await close();
  await service.stop();
  return {
    benchmark: 'waiting',
    figures: [
      { name: 'highest memory', value: Math.max(...samples), unit: 'MB', atMost: 700 },
      { name: 'before the card', value: before, unit: 'MB' },
      { name: 'at the end', value: samples.at(-1) ?? NaN, unit: 'MB' },
      { name: 'priced', value: EVENTS / (priced / 1_000), unit: 'events/s' },
      { name: 'priced and attributed', value: EVENTS / seconds, unit: 'events/s' },
    ],
    notes: [
      `${EVENTS} events with 28 KB of metadata wait for a rate card, which is then added. RSS of the Node process, without PostgreSQL.`,
    ],
  };
}
