import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, test } from 'vitest';
import {
  endOf,
  httpOutcome,
  reasonToDisable,
  RETRY_SECONDS,
  retryDelaySeconds,
} from '../../../../subgraphs/alerting/deliveries/attempt-outcome.ts';
import {
  statementPayload,
  titleOf,
  toAlertPayload,
  toSlackMessage,
} from '../../../../subgraphs/alerting/deliveries/alert-payload.ts';
import { sendMail } from '../../../../subgraphs/alerting/deliveries/send-mail.step.ts';
import { signMessage, toWebhookRequest } from '../../../../subgraphs/alerting/deliveries/webhook-request.ts';
import { startMailServer } from '../../../support/mail-server.ts';

describe('a signature', () => {
  /** Test vectors of the Standard Webhooks libraries. */
  test.each([
    [
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1_614_265_330_000), body: '{"test": 2432232314}' },
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ],
    [
      'C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      {
        id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
        at: new Date(1_649_367_553_000),
        body: '{"email":"test@example.com","username":"test_user"}',
      },
      'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
    ],
  ])('a signature with %s matches the published one', (key, message, signature) => {
    const secret = `whsec_${key}`;
    expect(signMessage(message, secret)).toBe(signature);
    expect(new Webhook(secret).sign(message.id, message.at, message.body)).toBe(signature);
  });

  test('is accepted by the Standard Webhooks library, whatever is sent, with either of two secrets', () => {
    const secret = fc
      .uint8Array({ minLength: 24, maxLength: 64 })
      .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    fc.assert(
      fc.property(fc.uuid(), fc.json(), secret, secret, (id, body, one, other) => {
        const { headers } = toWebhookRequest('https://example.com', { id, at: new Date(), body }, [one, other]);
        for (const each of [one, other]) new Webhook(each).verify(body, headers);
        expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
      }),
    );
  });
});

describe('the retry intervals', () => {
  it('grow from 5 seconds to a day, over three days in all, and are never shorter', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
        const waits = RETRY_SECONDS.map((_, index) => retryDelaySeconds(index + 1, random, null) ?? 0);
        expect(waits.every((wait, index) => wait >= RETRY_SECONDS[index]!)).toBe(true);
        expect(waits.toSorted((one, other) => one - other)).toEqual(waits);
        const days = waits.reduce((sum, wait) => sum + wait, 0) / 86_400;
        expect(days).toBeGreaterThan(3);
        expect(days).toBeLessThan(4);
        expect(retryDelaySeconds(RETRY_SECONDS.length + 1, random, null)).toBeNull();
      }),
    );
  });

  it("respect the receiver's Retry-After, up to a day", () => {
    expect(retryDelaySeconds(1, 0, 60)).toBe(60);
    expect(retryDelaySeconds(2, 0, 60)).toBe(300);
    expect(retryDelaySeconds(1, 0, 10_000_000)).toBe(86_400);
  });
});

describe('a response', () => {
  test.each([
    [200, null, null],
    [204, null, null],
    [299, null, null],
    [301, 'The receiver responded with 301: redirects are not followed', 'retry'],
    [400, 'The receiver responded with 400', 'retry'],
    [404, 'The receiver responded with 404', 'retry'],
    [410, 'The receiver responded with 410 (gone)', 'gone'],
    [429, 'The receiver responded with 429', 'retry'],
    [503, 'The receiver responded with 503', 'retry'],
  ])('%i: %s, %s', (status, error, next) => {
    expect(httpOutcome(status, '', undefined)).toMatchObject({ error, next });
  });

  test.each([
    ['120', 120],
    ['Fri, 31 Dec 1999 23:59:59 GMT', null],
    ['-1', null],
    [undefined, null],
    [['1', '2'], null],
  ])('Retry-After %j: %s', (header, seconds) => {
    expect(httpOutcome(503, '', header).retryAfterSeconds).toBe(seconds);
  });

  test('is stored in part, in one line', () => {
    expect(httpOutcome(500, ` a\0b\r\nc${'x'.repeat(500)}`, undefined).answer).toBe(`a b c${'x'.repeat(195)}`);
  });
});

test('a channel is switched off when its receiver responds 410, or when a delivery used up its attempts and nothing was accepted for three days', () => {
  const at = new Date('2026-11-22T00:00:00Z');
  const failed = httpOutcome(500, '', undefined);
  const [early, last] = [3, 10].map((attempt) => endOf(failed, attempt, at, 0)) as [
    ReturnType<typeof endOf>,
    ReturnType<typeof endOf>,
  ];
  const before = (days: number) => new Date(at.getTime() - days * 86_400_000);
  expect(reasonToDisable(failed, early, before(9))).toBeNull();
  expect(reasonToDisable(failed, last, before(2))).toBeNull();
  expect(reasonToDisable(failed, last, before(3))).toMatch(/^all deliveries failed for 3 days/);
  expect(reasonToDisable(httpOutcome(410, '', undefined), early, at)).toMatch(/410/);
  expect(
    reasonToDisable(httpOutcome(200, '', undefined), endOf(httpOutcome(200, '', undefined), 1, at, 0), null),
  ).toBeNull();
});

test('a title is one line', () => {
  const payload = toAlertPayload(
    'organization',
    {
      episodeId: 'e',
      ruleId: 'r',
      ruleName: 'Two\r\nlines',
      kind: 'BUDGET',
      transition: 'closed',
      sentence: '',
      path: '/alerts',
      at: new Date(),
      channelIds: [],
    },
    'https://books.example',
  );
  expect(titleOf(payload)).toBe('Closed: Two lines');
});

test.each([0, 1, 2, 3, 4])('a long text for Slack is not cut within an escape: %i characters before it', (before) => {
  const notice = { title: 'Title', sentence: `${'x'.repeat(before)}${'&'.repeat(1_000)}`, link: '/x', at: new Date() };
  const { text, blocks } = JSON.parse(toSlackMessage(statementPayload('organization', notice)));
  for (const cut of [text, blocks[0].text.text]) {
    expect(cut).toMatch(/&amp;…$/);
    expect(cut.length).toBeGreaterThan(2_890);
    expect(cut.length).toBeLessThanOrEqual(3_000);
  }
});

test('a login that the mail server refuses is retried, and its response is not stored', async () => {
  const server = await startMailServer();
  try {
    const url = server.url.replace(server.password, 'wrong');
    const mail = { id: '1', to: 'a@example.com', mail: { subject: 'A', text: 'B' } };
    expect(await sendMail({ url, from: 'books@example.com' }, mail)).toMatchObject({
      error: 'The mail server refused the login',
      answer: null,
      next: 'retry',
      statusCode: 535,
    });
  } finally {
    await server.close();
  }
});
