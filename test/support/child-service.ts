/** A process of this service as operators run it, and a client that counts acknowledgements. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { get, graphql, settle, sign } from './api-client.ts';
import { freePort } from './free-port.ts';
import type { FirstRun } from './running-service.ts';
import { usageEvent } from './usage-event.ts';
import { PATIENCE } from './patience.ts';

/** Shared by separate processes. */
const SECRET = randomBytes(32).toString('hex');
export const BATCH = 10;
/**
 * Pause of each sender after a batch: short enough that requests are almost always under way, long enough to limit the
 * events to compare.
 */
const REST_MILLISECONDS = 100;
const COST = '0.000000000000001';

export interface ChildService {
  readonly child: ChildProcess;
  readonly url: string;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** Runs `start/SCRIPT.ts` and waits until it is ready; throws with its output if it ends before that. */
export async function run(...options: Parameters<typeof launch>): Promise<ChildService> {
  const running = await launch(...options);
  const { child, url, output } = running;
  await vi.waitFor(
    async () => {
      if (child.exitCode === null) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    },
    // A start takes seconds of CPU, which frequent requests would prolong.
    { ...PATIENCE, interval: 500 },
  );
  if (child.exitCode !== null) throw new Error(`It ended:\n${output()}`);
  return running;
}

/** Starts a process without waiting until it is ready. */
export async function launch(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildService> {
  const port = await freePort();
  const child = spawn(process.execPath, [`start/${script}.ts`, ...args], {
    env: {
      ...process.env,
      LOG_LEVEL: 'info',
      SERVICE_SECRET: SECRET,
      INGEST_RATE_LIMIT: '100000;w=60',
      READ_RATE_LIMIT: '100000;w=60',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, url: `http://127.0.0.1:${port}`, output: () => output, ended };
}

export async function terminate({ child, ended }: ChildService): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

/** Sends batches as a careful client does: each until it is acknowledged, with the same keys. */
export class Sender {
  acknowledged = 0;
  #isStopping = false;
  readonly #sending: Promise<void>[];

  constructor(url: string, key: string, senders = 2) {
    this.#sending = Array.from({ length: senders }, () => this.#send(url, key));
  }

  async stop(): Promise<number> {
    this.#isStopping = true;
    await Promise.all(this.#sending);
    return this.acknowledged;
  }

  async #send(url: string, key: string): Promise<void> {
    while (!this.#isStopping) {
      const body = JSON.stringify(
        Array.from({ length: BATCH }, () =>
          usageEvent({ cost_override: COST, event_invoked_at: '2026-01-15T12:00:00Z' }),
        ),
      );
      while (!(await this.#isAcknowledged(url, key, body))) await pause(100);
      this.acknowledged += BATCH;
      await pause(REST_MILLISECONDS);
    }
  }

  async #isAcknowledged(url: string, key: string, body: string): Promise<boolean> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    try {
      const answer = await fetch(`${url}/v1/usage-events/batch`, {
        method: 'POST',
        body,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-timestamp': timestamp,
          'x-signature': sign(key, timestamp, body),
        },
      });
      const { failed } = (await answer.json()) as { failed?: number };
      return answer.status === 202 && failed === 0;
    } catch {
      return false;
    }
  }
}

export function firstRunOf(dataDirectory: string): FirstRun {
  return JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
}

/** Every event once: accepted, priced and attributed. */
export async function expectEvents(
  url: string,
  { operator_token: operator, organization_id: organization, live_read_key: key }: FirstRun,
  count: number,
): Promise<void> {
  await settle(url, operator);
  const range = 'start_date=2026-01-01&end_date=2026-02-01';
  const { body: usage } = await get(url, `/usage/summary?${range}`, key);
  const { body: models } = await get(url, `/cost-data/by-model?${range}`, key);
  expect([usage.total_events, models.models[0].event_count, models.total_cost]).toEqual([
    count,
    count,
    (count / 1e15).toFixed(15).replace(/0+$/, ''),
  ]);
  const { body: books } = await graphql(
    url,
    operator,
    '{ verifyCosting { differences } verifyAttribution { differences } }',
    {},
    organization,
  );
  expect(
    [...books.data.verifyCosting, ...books.data.verifyAttribution].flatMap(({ differences }) => differences),
  ).toEqual([]);
}
