/**
 * An organization with millions of events of the workload `history`. It begins as every organization does: with
 * registered dimensions and one event through the API. Then rows are written straight into the tables of costing and
 * attribution, one load after the other. The product's own audit must find no difference.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { DAY_MS } from '#kernel/time/duration.ts';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { askOperator, settle } from '../support/ask-operator.ts';
import { connectDatabase } from '../support/database-connection.ts';
import { createOrganization } from '../support/organization.ts';
import { untilRolledUp } from '../support/rolled-up.ts';
import { sendEvents } from '../support/send-load.ts';
import { type Service, startService } from '../support/start-service.ts';
import { usageEvent } from '../workload/usage-event.ts';
import { HISTORY_DAYS } from '../workload/customer.ts';
import { addToSums, loadEndUsers, loadFacts, readArrival, tidyAttribution } from './load-attribution.ts';
import { LINES, parametersOf, SYNTHETIC_EVENTS, type SyntheticSpan } from './synthetic-events.ts';

const EVENTS = `
  insert into usage_event (organization_id, id, livemode, idempotency_key, account_user_id, model, provider, end_user_external_id,
    input_tokens, output_tokens, cache_read_input_tokens, event_time, received_at, session_id, experiment_id, variant, feature, agent_id,
    metadata, charged)
  select organization_id, id, true, 'synthetic-' || n, organization_id, model, provider, end_user,
    input_tokens, output_tokens, cache_read_input_tokens, event_time, event_time, session_id, experiment_id, variant, feature, agent_id,
    metadata, false
  from ${SYNTHETIC_EVENTS} as event`;

const EXPLAINED_LINES = LINES.map(
  ([name, tokens, rate, cost]) =>
    `case when ${tokens} is null then '[]' else jsonb_build_array(jsonb_build_array('${name}', ${tokens}::text, ${rate}::text, 1000000, ${cost}::text)) end`,
).join(' || ');

/** Priced by the organization's card of the model, line by line. */
const ENTRIES = `
  insert into cost_entry (organization_id, event_id, sequence, livemode, event_time, total_cost, input_cost, output_cost, cache_read_cost,
    model_slug, provider_slug, rate_card_id, rate_card_version_id, explanation, cause, recorded_at)
  select event.organization_id, event.id, 0, true, event_time, total_cost, input_cost, output_cost, cache_read_cost,
    model, provider, card.id, version.id, json_build_object('lines', ${EXPLAINED_LINES}), 'priced', event_time
  from ${SYNTHETIC_EVENTS} as event
  join rate_card card on card.organization_id = event.organization_id and card.model_slug = event.model
  join rate_card_version version on (version.organization_id, version.rate_card_id) = (card.organization_id, card.id)
  where version.effective_to is null and version.superseded_at is null`;

const HOURS = `
  insert into cost_hour as kept (organization_id, hour, completed, failed, pending_rate_card, total_cost, quantity)
  select organization_id, date_trunc('hour', event_time, 'UTC'), count(*), 0, 0, sum(total_cost), sum(input_tokens + output_tokens)
  from ${SYNTHETIC_EVENTS} as event group by 1, 2
  on conflict (organization_id, hour) do update set completed = kept.completed + excluded.completed,
    total_cost = kept.total_cost + excluded.total_cost, quantity = kept.quantity + excluded.quantity`;

export interface FilledOrganization {
  readonly service: Service;
  readonly organizationId: string;
  readonly readKey: string;
  /** Events lie in the days before this instant. */
  readonly end: Date;
  /** The benchmark's own connections, for raw SQL. */
  readonly costing: Client;
  readonly attribution: Client;
  /** Loads events until this number is reached. */
  growTo(events: number): Promise<void>;
  /**
   * Computes the daily sums that simulations read, which would otherwise start later in the background. Returns the
   * seconds taken.
   */
  addUpDays(): Promise<number>;
  /** Throws if the books do not agree. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

export const DIMENSION = 'team';
const EVENTS_PER_STEP = 100_000;
const PROFILED_DAYS_MAX = 99;
const ADDING_SECONDS_MAX = 1_800;
const POLL_MILLISECONDS = 5_000;

export interface Filling {
  /** Days over which the events are spread; by default those of the workload. */
  readonly days?: number;
  readonly progress: (message: string) => void;
}

export async function openFilledOrganization({ days = HISTORY_DAYS, progress }: Filling): Promise<FilledOrganization> {
  const service = await startService();
  const { id: organizationId, readKey, ingestKeys } = await createOrganization(service, 'Filled');
  await askOperator(
    service,
    graphql(
      'mutation BenchPair($keys: [String!]!) { costPairRegister(input: { keys: $keys }) { costPair { state } userErrors { message code } } }',
    ),
    { keys: ['agent_id', 'model'] },
    organizationId,
  );
  const end = now();
  await sendEvents(service.url, ingestKeys[0] ?? '', [usageEvent(0, 'first', end)]);
  await settle(service);
  const { client: costing } = await connectDatabase(service.dataDirectory, 'costing');
  const { client: attribution } = await connectDatabase(service.dataDirectory, 'attribution');
  // Commit latency of the loading steps is not measured, so do not wait for the disk.
  for (const client of [costing, attribution]) await client.query('set synchronous_commit = off');
  await loadEndUsers(attribution, organizationId, new Date(end.getTime() - days * DAY_MS).toISOString());
  const arrival = await readArrival(attribution, organizationId);
  let loaded = 0;

  const forSteps = async (loadUpTo: number, load: (span: SyntheticSpan) => Promise<void>): Promise<void> => {
    const loadAfter = loaded;
    for (let after = loadAfter; after < loadUpTo; after += EVENTS_PER_STEP) {
      const upTo = Math.min(after + EVENTS_PER_STEP, loadUpTo);
      await load({ organizationId, after, upTo, loadAfter, loadUpTo, latest: end, days });
    }
  };
  const loadAttribution = async (upTo: number): Promise<void> => {
    const before = await readArrival(attribution, organizationId);
    await forSteps(upTo, (span) => loadFacts(attribution, span, arrival));
    await addToSums(attribution, organizationId, before);
    await untilRolledUp(service);
    await tidyAttribution(attribution);
  };
  return {
    service,
    organizationId,
    readKey,
    end,
    costing,
    attribution,
    async growTo(events) {
      progress(`Loading ${(events - loaded).toLocaleString('en')} events`);
      await Promise.all([
        forSteps(events, (span) => loadCosting(costing, span)).then(() => tidyCosting(costing)),
        loadAttribution(events),
      ]);
      loaded = events;
    },
    async addUpDays() {
      const started = elapsedMilliseconds();
      await costing.query('delete from usage_profile_day where organization_id = $1', [organizationId]);
      await costing.query('notify usage_day');
      for (;;) {
        const { rows } = await costing.query<{ days: number }>(
          'select count(*)::int as days from usage_profile_day where organization_id = $1',
          [organizationId],
        );
        const seconds = (elapsedMilliseconds() - started) / 1_000;
        if ((rows[0]?.days ?? 0) >= Math.min(days, PROFILED_DAYS_MAX) - 1) return seconds;
        if (seconds > ADDING_SECONDS_MAX) throw new Error('The days were not rolled up in time');
        progress(`${rows[0]?.days ?? 0} days are rolled up`);
        await pause(POLL_MILLISECONDS);
      }
    },
    async verify() {
      progress('Auditing the books');
      const checks = await askOperator(
        service,
        graphql(
          'query VerifyLoadedBooks { costing: verifyCosting { check differences } attribution: verifyAttribution { check differences } }',
        ),
        {},
        organizationId,
      );
      const different = Object.values(checks)
        .flat()
        .filter(({ differences }) => differences.length > 0);
      if (different.length > 0)
        throw new Error(`The loaded books do not agree: ${JSON.stringify(different).slice(0, 1_000)}`);
    },
    stop: () => service.stop(),
  };
}

/** Writes events, ledger and hour counters into costing's own tables, as if each event had been ingested and priced. */
async function loadCosting(client: Client, span: SyntheticSpan): Promise<void> {
  await client.query('begin');
  for (const statement of [EVENTS, ENTRIES, HOURS]) await client.query(statement, parametersOf(span));
  await client.query('commit');
}

async function tidyCosting(client: Client): Promise<void> {
  await client.query('vacuum (analyze) usage_event, cost_entry, cost_hour');
}
