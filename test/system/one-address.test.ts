/**
 * Many people behind one address are served within five minutes, or get a 429 with the time to wait: sixty sign-ins,
 * sixty registrations of OAuth clients, and 250 requests with a bad key, with the default limits.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { get } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { visitor } from '../support/visitor.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

let service: RunningService;
beforeAll(async () => {
  service = await runningService({ READ_RATE_LIMIT: '100;w=900', INGEST_RATE_LIMIT: '100;w=60' });
});
afterAll(() => service.stop());

/** Makes this many requests, six at a time. */
async function many<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let begun = 0; begun < times; begun += 6) {
    const batch = Array.from({ length: Math.min(6, times - begun) }, (_, index) => work(begun + index));
    answers.push(...(await Promise.all(batch)));
  }
  return answers;
}

/** Returns how many were served; every other response must be a 429 that says when to retry. */
function served(answers: readonly { status: number; headers: Headers }[], status: number): number {
  const refused = answers.filter((answer) => answer.status !== status);
  for (const answer of refused) {
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
  return answers.length - refused.length;
}

it('sixty correct sign-ins are all served', async () => {
  const answers = await many(60, () =>
    visitor(service.url).submit('/sign-in', '/sign-in', {
      email: service.firstRun.owner_email,
      password: service.firstRun.owner_password,
    }),
  );
  expect(served(answers, 303)).toBe(60);
});

it('sixty registrations are all served', async () => {
  const answers = await many(60, (index) =>
    fetch(`${service.url}/v1/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: `Client ${index}`, redirect_uris: ['http://127.0.0.1/callback'] }),
    }),
  );
  expect(served(answers, 201)).toBe(60);
});

it('250 requests with a bad key all get 401, and a good key still works', async () => {
  const answers = await many(250, () => get(service.url, '/ping', `sk_live_${randomBytes(20).toString('hex')}`));
  for (const answer of answers) expectEnvelope(answer, 401, 'UNAUTHORIZED');
  expect((await get(service.url, '/ping', service.firstRun.live_read_key)).status).toBe(200);
});

it('sixty wrong sign-ins are refused or delayed, and others at the address can still sign in', async () => {
  const answers = await many(60, (index) =>
    visitor(service.url).submit('/sign-in', '/sign-in', {
      email: 'guessed@example.com',
      password: `a wrong password ${index}`,
    }),
  );
  expect(served(answers, 401)).toBeGreaterThanOrEqual(10);
  const other = await visitor(service.url).submit('/sign-in', '/sign-in', {
    email: service.firstRun.owner_email,
    password: service.firstRun.owner_password,
  });
  expect(other.status).toBe(303);
});
