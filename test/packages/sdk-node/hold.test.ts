/** Spend decisions through the client library: one answer per key, and the configured choice if no answer arrives. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Books, createBooks } from '../../../packages/sdk-node/books.ts';
import { type FailingFront, startFront } from '../../support/failing-front.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';

let service: RunningService;
let front: FailingFront;
let books: Books;
beforeAll(async () => {
  service = await sharedService();
  front = await startFront(service.url);
  books = createBooks({ url: front.url, apiKey: service.firstRun.live_ingest_key });
});
afterAll(async () => {
  await books.close(0);
  await front.stop();
  await service.stop();
});

test('a hold is requested once per key; without a response from the service, `withoutAnswer` decides', async () => {
  await operate(
    service,
    'mutation { allowanceSave(input: { subject: END_USER, subjectId: "sdk-holder", period: DAY, amount: "1" }) { userErrors { message } } }',
  );
  const ask = { userId: 'sdk-holder', amount: '0.75', timeoutMs: 60_000 };
  const answer = await books.with({ userId: 'sdk-holder' }, () =>
    books.hold({ amount: 0.75, idempotencyKey: 'one', timeoutMs: 60_000 }),
  );
  expect(answer).toEqual({
    allowed: true,
    hold: expect.any(String),
    left: '0.25',
    because: 'WITHIN_ALLOWANCE',
    amount: '0.75',
  });
  expect(await books.hold({ ...ask, idempotencyKey: 'one', timeoutMs: 60_000 })).toEqual(answer);
  expect(await books.hold(ask)).toMatchObject({ allowed: false, hold: null, because: 'ALLOWANCE_USED_UP' });
  await books.releaseHold(answer.hold!);
  // One lost answer is asked for again, with the same key.
  front.faults.push({ times: 1, status: 503 });
  expect(await books.hold(ask)).toMatchObject({ allowed: true, left: '0.25' });
  for (const [withoutAnswer, allowed] of [
    ['deny', false],
    ['allow', true],
  ] as const) {
    front.faults.push({ times: 2, status: 503 });
    const without = { allowed, hold: null, left: null, because: 'WITHOUT_ANSWER', amount: null };
    expect(await books.hold({ ...ask, withoutAnswer })).toEqual(without);
  }
  front.faults.push({ times: 2, status: 503 });
  await expect(books.hold(ask)).rejects.toMatchObject({ name: 'HoldError', isRefused: false });
  const unknown = { model: 'nobody-knows', maxInputTokens: 1, maxOutputTokens: 1 };
  await expect(books.hold({ ...unknown, withoutAnswer: 'allow' })).rejects.toMatchObject({
    isRefused: true,
    message: expect.stringMatching(/send amount instead/),
  });
});

test.each([
  ['408', false],
  ['429', false],
  ['500', false],
  ['403', true],
  ['404', true],
])('an answer with status %s: refused for good: %s', async (status, isRefused) => {
  front.faults.push({ times: 2, status: Number(status) });
  const asked = books.hold({ amount: '0.1', withoutAnswer: 'allow', timeoutMs: 60_000 });
  if (isRefused) await expect(asked).rejects.toMatchObject({ isRefused, message: expect.stringContaining(status) });
  else expect(await asked).toMatchObject({ allowed: true, because: 'WITHOUT_ANSWER' });
  front.faults.length = 0;
});

test('a hold is for the end user and the agent of the call or of the context', async () => {
  await operate(
    service,
    'mutation { allowanceSave(input: { subject: AGENT, subjectId: "sdk-agent", period: DAY, amount: "3" }) { userErrors { message } } }',
  );
  await operate(
    service,
    'mutation { allowanceSave(input: { subject: END_USER, subjectId: "sdk-user", period: DAY, amount: "2" }) { userErrors { message } } }',
  );
  const ask = (input: object = {}) => books.hold({ amount: '0.5', timeoutMs: 60_000, ...input });
  expect((await books.with({ agentId: 'sdk-agent' }, () => ask())).left).toBe('2.5');
  expect((await books.with({ agentId: 'other' }, () => ask({ agentId: 'sdk-agent' }))).left).toBe('2');
  expect((await books.with({ userId: 'sdk-user' }, () => ask())).left).toBe('1.5');
  expect((await books.with({ userId: 'other' }, () => ask({ userId: 'sdk-user' }))).left).toBe('1');
});

test('an amount is sent as a plain decimal with at most 15 decimals', async () => {
  const amounts = [0.0000003, 0.1 + 0.2, 1234.56, '0.50'];
  const answers = await Promise.all(amounts.map((amount) => books.hold({ amount, timeoutMs: 60_000 })));
  expect(answers.map(({ amount }) => amount)).toEqual(['0.0000003', '0.3', '1234.56', '0.5']);
});
