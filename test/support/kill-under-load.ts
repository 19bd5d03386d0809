/** `kill -9` during ingestion, and what its clients find afterwards. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { get, graphql, post, settle } from './api-client.ts';
import type { FirstRun } from './running-service.ts';
import { usageEvent } from './usage-event.ts';

const SENDERS = 4;
const BATCH = 25;
const ALLOTMENT = 100_000;

/** The real thing: the script of `npm start`, its embedded PostgreSQL, durable commits. */
async function start(
  dataDirectory: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['start/one-process.ts'], {
    env: {
      ...process.env,
      DATA_DIR: dataDirectory,
      PORT: '0',
      LOG_LEVEL: 'info',
      INGEST_RATE_LIMIT: '100000;w=60',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    const read = (text: Buffer) => {
      output += text.toString();
      const found = /listening at (http:\/\/[\d.:]+)/.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`The service ended:\n${output}`)));
  });
  return { child, url };
}

/**
 * Every acknowledged event must be stored once, and the credits must match. The service's data is in a directory of its
 * own, except for databases named in `settings`.
 */
export async function killUnderLoad(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'books-crash-'));
  let running = await start(dataDirectory, settings);
  onTestFinished(async () => {
    const { child } = running;
    // If the test fails before the second start, the first one has already ended.
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
  const operator = firstRun.operator_token;
  await graphql(
    running.url,
    operator,
    `mutation { planSet(input: { allotment: ${ALLOTMENT} }) { credits { creditsLeft } userErrors { message code } } }`,
    {},
    firstRun.organization_id,
  );

  const acknowledged = new Map<string, string>();
  const sent: Record<string, unknown>[][] = [];
  const killed = new Promise((resolve) => running.child.once('exit', resolve));
  const sender = async (): Promise<void> => {
    for (;;) {
      const events = Array.from({ length: BATCH }, () =>
        usageEvent({ cost_override: '0.000000000000001', event_invoked_at: '2026-01-15T12:00:00Z' }),
      );
      sent.push(events);
      const answer = await post(running.url, '/usage-events/batch', firstRun.live_ingest_key, events).catch(() => null);
      if (!answer) return;
      // A busy machine may refuse some batches; they are sent again at the end, like those without a response.
      if (answer.status !== 202) continue;
      for (const [index, event] of events.entries())
        acknowledged.set(String(event['idempotency_key']), answer.body.results[index].event_id);
      if (acknowledged.size >= 40 * BATCH) running.child.kill('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await killed;

  running = await start(dataDirectory, settings);
  // A client without a response resends; nothing is counted twice.
  for (const events of sent) {
    const { body } = await post(running.url, '/usage-events/batch', firstRun.live_ingest_key, events);
    for (const [index, event] of events.entries()) {
      const before = acknowledged.get(String(event['idempotency_key']));
      if (before !== undefined) expect(body.results[index].event_id).toBe(before);
    }
  }
  await settle(running.url, operator);
  const total = sent.length * BATCH;
  const { body: usage } = await get(
    running.url,
    '/usage/summary?start_date=2026-01-01&end_date=2026-02-01',
    firstRun.live_read_key,
  );
  const { body: models } = await get(
    running.url,
    '/cost-data/by-model?start_date=2026-01-01&end_date=2026-02-01',
    firstRun.live_read_key,
  );
  expect([usage.total_events, models.models[0].event_count]).toEqual([total, total]);
  expect(models.total_cost).toBe((total / 1e15).toFixed(15).replace(/0+$/, ''));
  const { body: books } = await graphql(
    running.url,
    operator,
    '{ credits { creditsLeft } verifyCosting { differences } verifyAttribution { differences } }',
    {},
    firstRun.organization_id,
  );
  expect(books.data.credits.creditsLeft).toBe(ALLOTMENT - total);
  expect(
    [...books.data.verifyCosting, ...books.data.verifyAttribution].flatMap(({ differences }) => differences),
  ).toEqual([]);
}
