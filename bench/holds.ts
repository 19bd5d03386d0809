/**
 * Spend decisions while events arrive: one request each, at fixed times whether or not earlier ones were answered. The
 * yardstick is the leanest durable decision: one statement that reserves an amount in a row and stores the hold.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Pool as Connections } from 'pg';
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { graphql } from '#schema/graphql.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import { startLoadedService } from './support/bench-service.ts';
import { undoLater } from './support/cleanup.ts';
import { databaseUrl } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import type { Report } from './support/report.ts';
import { sendLoad } from './support/send-load.ts';
import { sign } from './support/signed-batches.ts';
import { median, quantile, spread } from './support/statistics.ts';
import { END_USER_PREFIX } from './workload/customer.ts';

const DECISIONS_PER_SECOND = 500;
const EVENTS_PER_SECOND = 2_000;
const CONNECTIONS = 32;
/** The largest end users have an allowance of their own, so that every decision reserves something. */
const ALLOWANCES = 100;
const SECONDS_PER_ROUND = 15;

const SAVE = graphql(`mutation BenchAllowance($endUser: String!) {
  allowanceSave(input: { subject: END_USER, subjectId: $endUser, period: MONTH, amount: "1000000", policy: DENY }) { userErrors { message code } }
}`);

export async function measureHolds({ rounds, connections, progress }: BenchOptions): Promise<Report> {
  const { service, organization, next, calm, stop } = await startLoadedService(connections, 'live');
  for (let number = 0; number < ALLOWANCES; number++)
    await askOperator(service, SAVE, { endUser: `${END_USER_PREFIX}${number}` }, organization.id);
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  let keys = 0;
  const ask = async (turn: number): Promise<void> => {
    const key = organization.ingestKeys[keys++ % organization.ingestKeys.length]!;
    const hold = { idempotency_key: randomUuid(), end_user: endUserOf(turn), amount: '0.03' };
    const { headers, body } = sign(Buffer.from(JSON.stringify(hold)), key);
    const answer = await pool.request({ path: '/ext/v1/holds', method: 'POST', headers, body });
    const text = await answer.body.text();
    if (!text.includes('"WITHIN_ALLOWANCE"')) throw new Error(`A decision was ${answer.statusCode}: ${text}`);
  };
  const yardstick = await openYardstick(service.dataDirectory);
  const sides = { ours: [] as number[], raw: [] as number[] };
  const ratios: number[] = [];
  await underLoad(() => decide(ask));
  for (let round = 1; round <= rounds; round++) {
    await calm();
    const ours = await underLoad(() => decide(ask));
    await calm();
    const raw = await underLoad(() => decide(yardstick.ask));
    sides.ours.push(...ours);
    sides.raw.push(...raw);
    ratios.push(quantile(ours, 0.99) / quantile(raw, 0.99));
    progress(`holds ${round}/${rounds}: 99 % within ${quantile(ours, 0.99).toFixed(1)} ms`);
  }
  await yardstick.close();
  await pool.close();
  await settle(service);
  await stop();
  return {
    benchmark: 'holds',
    figures: [
      { name: 'a decision, median', value: quantile(sides.ours, 0.5), unit: 'ms' },
      { name: 'a decision, 99 %', value: quantile(sides.ours, 0.99), unit: 'ms', atMost: 10 },
      { name: 'the yardstick, median', value: quantile(sides.raw, 0.5), unit: 'ms' },
      { name: 'the yardstick, 99 %', value: quantile(sides.raw, 0.99), unit: 'ms' },
      { name: '99 %, relative to the yardstick', value: median(ratios), unit: '', spread: spread(ratios) },
    ],
    notes: [
      `${DECISIONS_PER_SECOND} decisions a second for ${SECONDS_PER_ROUND} s a round, while ${EVENTS_PER_SECOND} live events a second arrive in batches and are priced. A decision that waits for a connection counts from its due time.`,
      'The load is made on the same cores.',
    ],
  };

  async function underLoad(run: () => Promise<number[]>): Promise<number[]> {
    const ended = new AbortController();
    const { url } = service;
    const load = { url, next, connections, seconds: Infinity, eventsPerSecond: EVENTS_PER_SECOND };
    const loading = sendLoad({ ...load, signal: ended.signal });
    const latencies = await run();
    ended.abort();
    await loading;
    return latencies;
  }
}

function endUserOf(turn: number): string {
  return `${END_USER_PREFIX}${turn % ALLOWANCES}`;
}

/** Returns the milliseconds from the due time of each decision to its answer. */
async function decide(ask: (turn: number) => Promise<void>): Promise<number[]> {
  const latencies: number[] = [];
  const begun = elapsedMilliseconds();
  const asked: Promise<void>[] = [];
  for (let turn = 0; turn < DECISIONS_PER_SECOND * SECONDS_PER_ROUND; turn++) {
    const due = begun + (turn / DECISIONS_PER_SECOND) * 1_000;
    const early = due - elapsedMilliseconds();
    if (early > 0) await pause(early);
    asked.push(ask(turn).then(() => void latencies.push(elapsedMilliseconds() - due)));
  }
  await Promise.all(asked);
  return latencies;
}

const CREATE = `
  create schema if not exists benchmark;
  create table benchmark.allowance (end_user text primary key, amount numeric not null, held numeric not null default 0);
  create table benchmark.hold (id uuid primary key, end_user text not null, amount numeric not null, expires_at timestamptz not null);
  insert into benchmark.allowance select '${END_USER_PREFIX}' || number, 1000000 from generate_series(0, ${ALLOWANCES - 1}) as number`;

const DECIDE = `
  with allowed as (
    update benchmark.allowance set held = held + 0.03 where end_user = $1 and held + 0.03 <= amount returning end_user)
  insert into benchmark.hold select $2, end_user, 0.03, now() + interval '10 minutes' from allowed`;

async function openYardstick(dataDirectory: string) {
  const pool = new Connections({ connectionString: databaseUrl(dataDirectory, 'costing'), max: CONNECTIONS });
  pool.on('error', () => {});
  const close = undoLater(() => pool.end());
  await pool.query(CREATE);
  return {
    close,
    async ask(turn: number): Promise<void> {
      await pool.query({ name: 'decide', text: DECIDE, values: [endUserOf(turn), randomUuid()] });
    },
  };
}
