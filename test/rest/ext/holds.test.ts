/** Spend decisions over HTTP, from the question to the settled hold. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, post, postExt, settle } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
  const { url, firstRun } = service;
  const { body } = await graphql(
    url,
    firstRun.operator_token,
    'mutation { allowanceSave(input: { subject: END_USER, subjectId: "customer-7", period: DAY, amount: "5" }) { allowance { id } userErrors { message } } }',
    {},
    firstRun.organization_id,
  );
  expect(body.data.allowanceSave.userErrors).toEqual([]);
});
afterAll(() => service.stop());
const send = (path: string, body: unknown, key: string | null = service.firstRun.live_ingest_key) =>
  postExt(service.url, path, key, body);
const call = (key: string, more: object = {}) => ({
  idempotency_key: key,
  end_user: 'customer-7',
  amount: '0.03',
  ...more,
});

describe('200', () => {
  it('allows a call and reserves it; its event settles the hold', async () => {
    const { status, body } = await send('/holds', call('call-1'));
    expect([status, body]).toEqual([
      200,
      {
        allowed: true,
        hold: expect.any(String),
        left: '4.97',
        because: 'WITHIN_ALLOWANCE',
        amount: '0.03',
        allowance: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    expect((await send('/holds', call('call-1'))).body).toEqual(body);
    const { url, firstRun } = service;
    const event = usageEvent({
      user_id: 'customer-7',
      event_invoked_at: new Date().toISOString(),
      cost_override: '0.02',
      metadata: { hold_id: body.hold },
    });
    await post(url, '/usage-events', firstRun.live_ingest_key, event);
    await settle(url, firstRun.operator_token);
    expect((await send('/release-hold', { hold: body.hold })).body).toMatchObject({ state: 'SETTLED', cost: '0.02' });
    expect((await send('/check-allowance', { end_user: 'customer-7', amount: '1' })).body).toMatchObject({
      allowed: true,
      hold: null,
      left: '4.98',
    });
    const { items } = (await send('/allowances', { subject: 'end_user' }, firstRun.live_read_key)).body;
    expect(items).toMatchObject([{ subject_id: 'customer-7', amount: '5', held: '0', spent: '0.02', left: '4.98' }]);
  });

  it('refuses a call that exceeds an allowance, and prices calls by their model', async () => {
    expect((await send('/holds', call('call-2', { amount: '5' }))).body).toMatchObject({
      allowed: false,
      hold: null,
      because: 'ALLOWANCE_USED_UP',
    });
    // OpenAI publishes 2.5 per million input tokens and 10 per million output tokens.
    const { body } = await send('/holds', {
      idempotency_key: 'call-3',
      model: 'gpt-4o',
      max_input_tokens: 1_000,
      max_output_tokens: 100,
    });
    expect(body).toMatchObject({ allowed: true, because: 'NO_ALLOWANCE', amount: '0.0035', left: null });
  });

  it('that is requested with a test key reserves nothing', async () => {
    const { body } = await send('/holds', call('call-4'), service.firstRun.test_ingest_key);
    expect(body).toMatchObject({ allowed: true, hold: null });
  });
});

describe('400', () => {
  it.each([
    [{ idempotency_key: 'a' }, /Send amount, or model/],
    [{ amount: '1' }, /idempotency_key is required/],
    [call(''), /idempotency_key must have 1 to 255 characters/],
    [call('a', { end_user: 'x'.repeat(256) }), /end_user must have 1 to 255 characters/],
    [call('a', { agent: '\0' }), /agent contains a NUL character/],
    [call('a', { max_input_tokens: 1 }), /Give either amount, or max_input_tokens and max_output_tokens, not both/],
    [
      call('a', { amount: null, model: 'gpt-4o', max_input_tokens: 1 }),
      /max_input_tokens and max_output_tokens \(0 is/,
    ],
    [
      call('a', { amount: null, model: 'gpt-4o', max_input_tokens: 1e10, max_output_tokens: 1 }),
      /max_input_tokens must be a whole number, 0 to 1000000000/,
    ],
    [call('b', { amount: '-1' }), /amount must be a decimal of USD/],
    [call('c', { ttl: 86_401 }), /ttl must be a whole number from 1 to 86400/],
    [
      call('d', { amount: null, model: 'unknown-model', max_input_tokens: 1, max_output_tokens: 1 }),
      /send amount instead\. No rate card matches/,
    ],
  ])('to %j', async (body, message) => {
    expectEnvelope(await send('/holds', body), 400, 'VALIDATION_ERROR', message);
  });

  it('to a key that was used for another request', async () => {
    await send('/holds', call('call-5'));
    expectEnvelope(
      await send('/holds', call('call-5', { amount: '0.04' })),
      400,
      'VALIDATION_ERROR',
      /another request/,
    );
  });
});

describe('401 and 403', () => {
  it('401 and 403 without a key, and to a key without the scope', async () => {
    expectEnvelope(await send('/holds', call('x'), null), 401, 'UNAUTHORIZED');
    expectEnvelope(await send('/holds', call('x'), service.firstRun.live_read_key), 403, 'FORBIDDEN', /usage:write/);
  });
});
