/**
 * Duration of an evaluation round over many organizations, each with the three default alert rules and some events.
 * Measures a round over current figures, due every minute, and a nightly round that also evaluates the settled-day
 * rules of a sixtieth of the organizations.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { EVENTS_PER_JOB, queueEvents, uuidOf } from './organizations/queued-events.ts';
import { settle } from './support/ask-operator.ts';
import { meterCpu } from './support/cpu-meter.ts';
import { connectDatabase } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { type Service, startService } from './support/start-service.ts';

const POLL_MILLISECONDS = 50;
const RULES_FROM_THE_START = 3;
/** States of the two rules that evaluate settled days. */
const STATES_FROM_THE_START = 2;
/** Daily evaluations are spread over an hour. */
const SPREAD_MINUTES = 60;
/** A round is due every minute. */
const ROUND_SECONDS_MAX = 60;

interface Round {
  readonly seconds: number;
  /** Milliseconds per organization. */
  readonly service: number;
  readonly postgres: number;
}

export async function measureAlerting({ organizations, progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const costing = (await connectDatabase(service.dataDirectory, 'costing')).client;
  const alerting = (await connectDatabase(service.dataDirectory, 'alerting')).client;
  await queueEvents(costing, organizations, organizations * EVENTS_PER_JOB);
  await settle(service);
  await copyRules(alerting, service.firstRun.organization_id, organizations);
  const live = await measureRound(service, alerting, organizations, `daily_due_at = 'infinity'`);
  progress(`alerting: a round over current figures ${describe(live)}`);
  await alerting.query(`update alert_state set judged_through = judged_through - interval '1 day'`);
  const share = `daily_due_at = case when random() < 1.0 / ${SPREAD_MINUTES} then now() else 'infinity'::timestamptz end`;
  const night = await measureRound(service, alerting, organizations, share);
  progress(`alerting: a nightly round ${describe(night)}`);
  const { rows } = await alerting.query<{ rules: number; failed: number }>(
    `select (select count(*)::int from alert_rule) as rules,
       (select count(*)::int from organization_place where attempt > 0 or waiting_for is not null) as failed`,
  );
  await service.stop();
  return {
    benchmark: 'alerting',
    figures: [...figures('a round', live), ...figures('at night', night)],
    notes: [
      `${organizations} organizations, ${rows[0]?.rules} rules (${RULES_FROM_THE_START} each), ${EVENTS_PER_JOB} events each; ${rows[0]?.failed} could not be evaluated.`,
    ],
  };
}

/** Copies rules, states and the scheduling row of the first organization to all others, after its first evaluation. */
async function copyRules(alerting: Client, first: string, organizations: number): Promise<void> {
  const isEvaluated = 'select count(*)::int as count from alert_state where organization_id = $1';
  while ((await alerting.query<{ count: number }>(isEvaluated, [first])).rows[0]?.count !== STATES_FROM_THE_START)
    await pause(POLL_MILLISECONDS);
  for (const table of ['alert_rule', 'alert_state', 'organization_place']) {
    const others = `select row.* from generate_series(0, $1::int - 1) as n cross join ${table} as known
      cross join lateral jsonb_populate_record(known, jsonb_build_object('organization_id', ${uuidOf(`'organization ' || n`)})) as row
      where known.organization_id = $2`;
    await alerting.query(`insert into ${table} ${others}`, [organizations, first]);
  }
  await alerting.query('analyze');
}

/**
 * Runs until the last organization has been claimed, so the work of the last step (at most 200 organizations) is not
 * counted.
 */
async function measureRound(service: Service, alerting: Client, organizations: number, daily: string): Promise<Round> {
  const used = meterCpu(service);
  const started = elapsedMilliseconds();
  const { rows } = await alerting.query<{ at: string }>('select clock_timestamp()::text as at');
  await alerting.query(`update organization_place set due_at = now(), ${daily}`);
  const left =
    'select count(*)::int as left from organization_place where coalesce(evaluated_at, to_timestamp(0)) < $1';
  for (;;) {
    const counted = await alerting.query<{ left: number }>(left, [rows[0]?.at]);
    if (counted.rows[0]?.left === 0) break;
    await pause(POLL_MILLISECONDS);
  }
  const seconds = (elapsedMilliseconds() - started) / 1_000;
  const cpu = used();
  return { seconds, service: cpu.service / organizations, postgres: cpu.postgres / organizations };
}

function figures(name: string, { seconds, service, postgres }: Round): Figure[] {
  return [
    { name, value: seconds, unit: 's', atMost: ROUND_SECONDS_MAX },
    { name: `${name}, CPU per organization, service`, value: service, unit: 'ms' },
    { name: `${name}, CPU per organization, PostgreSQL`, value: postgres, unit: 'ms' },
  ];
}

function describe({ seconds, service, postgres }: Round): string {
  return `${seconds.toFixed(1)} s, ${service.toFixed(2)} ms of the service and ${postgres.toFixed(2)} ms of PostgreSQL per organization`;
}
