import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, get, graphql, post, settle } from '../support/api-client.ts';
import { expectEnvelope } from '../support/envelope.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const PATH = '/usage-events';
const WARNING = 'x-service-usage-warning';
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = service.firstRun.live_ingest_key;
});
afterAll(() => service.stop());

const send = (event: unknown, by = key): Promise<Answer> => post(service.url, PATH, by, event);

/** A separate organization whose plan allows this many events. */
async function keyWithPlan(allotment: number, softLimit: number): Promise<{ id: string; secret: string }> {
  const { operator_token: operator } = service.firstRun;
  const email = `${allotment}-${softLimit}-${Math.random()}@example.com`;
  const made = await graphql(
    service.url,
    operator,
    `mutation { organizationCreate(input: { name: "Planned", ownerEmail: "${email}", ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }`,
  );
  const { id } = made.body.data.organizationCreate.createdOrganization.organization;
  const { body } = await graphql(
    service.url,
    operator,
    `mutation { planSet(input: { allotment: ${allotment}, softLimit: ${softLimit} }) { credits { creditsLeft } userErrors { message code } } apiKeyCreate(input: { name: "i", environment: "live", preset: "ingest" }) { createdApiKey { secret } userErrors { message } } }`,
    {},
    id,
  );
  return { id, secret: body.data.apiKeyCreate.createdApiKey.secret };
}

const ACCEPTED = {
  status: 'accepted',
  event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  message: expect.any(String),
};

describe('202', () => {
  it('is one result without an index, and without a warning', async () => {
    const { status, body, headers } = await send(usageEvent());
    expect([status, body]).toEqual([202, ACCEPTED]);
    expect(headers.get(WARNING)).toBeNull();
  });

  it('flags an event that needs attention', async () => {
    const { body } = await send(
      usageEvent({ model: 'nobody-has-a-card', event_invoked_at: '2024-02-29T23:59:59.999999+14:00' }),
    );
    expect(body).toEqual({ ...ACCEPTED, status: 'accepted_flagged', flag_reason: 'timestamp_too_old,no_rate_card' });
  });

  it("returns the first event's id for a resend", async () => {
    const event = usageEvent();
    const [first, again] = [await send(event), await send({ ...event, model: 'another' })];
    expect(again.body).toEqual({ ...ACCEPTED, event_id: first.body.event_id });
  });

  it('warns in a header beyond the soft limit, once per new event, and never in a batch', async () => {
    const { secret } = await keyWithPlan(10, 1);
    const [within, past] = [
      await send(usageEvent(), secret),
      await send(usageEvent({ idempotency_key: 'past' }), secret),
    ];
    expect([within.headers.get(WARNING), past.headers.get(WARNING)]).toEqual([null, expect.any(String)]);
    expect(past.body).toEqual({ ...ACCEPTED, status: 'accepted_flagged', flag_reason: 'quota_soft_limit' });
    expect((await send(usageEvent({ idempotency_key: 'past' }), secret)).headers.get(WARNING)).toBeNull();
    const batch = await post(service.url, '/usage-events/batch', secret, [usageEvent()]);
    expect([batch.headers.get(WARNING), batch.body.results[0].flag_reason]).toEqual([null, 'quota_soft_limit']);
  });

  it('reads a cost of fifteen digits from the text, never through a double', async () => {
    const event = JSON.stringify(usageEvent({ user_id: 'exact', cost_override: 'HERE' })).replace(
      '"HERE"',
      '123456789012.123456789012345',
    );
    expect((await send(event)).status).toBe(202);
    await settle(service.url, service.firstRun.operator_token);
    const year = new Date().getUTCFullYear();
    const { body } = await get(
      service.url,
      `/end-user-costs/exact/by-model?start_date=${year}-01-01&end_date=${year + 1}-01-02`,
      service.firstRun.live_read_key,
    );
    expect(body.total_cost).toBe('123456789012.123456789012345');
  });
});

describe('400', () => {
  it.each([
    ['a list', [usageEvent()], /object/],
    ['text that is not JSON', '{', /JSON/],
    ['a missing key', usageEvent({ idempotency_key: undefined }), /idempotency_key/],
    ['an empty model', usageEvent({ model: '' }), /model/],
    ['a fraction of a token', usageEvent({ input_tokens: 1.5 }), /input_tokens/],
    ['tokens in text', usageEvent({ output_tokens: '5' }), /output_tokens/],
    ['more tokens than can be counted', usageEvent({ input_tokens: 2 ** 53 }), /input_tokens/],
    ['a time without an offset', usageEvent({ event_invoked_at: '2026-01-01T00:00:00' }), /event_invoked_at/],
    ['a date that does not exist', usageEvent({ event_invoked_at: '2026-02-30T00:00:00Z' }), /event_invoked_at/],
    ['a time before 2000', usageEvent({ event_invoked_at: '1999-12-31T23:59:59Z' }), /event_invoked_at/],
    ['a negative cost', usageEvent({ cost_override: '-1' }), /cost_override/],
    ['a cost of sixteen digits', usageEvent({ cost_override: '0.0000000000000001' }), /cost_override/],
    ['half an experiment', usageEvent({ experiment: { experiment_id: 'e' } }), /variant/],
    ['metadata that is a list', usageEvent({ metadata: [] }), /metadata/],
    ['a NUL character', usageEvent({ user_id: 'a\0b' }), /user_id/],
    ['a text of 256 characters', usageEvent({ provider: 'p'.repeat(256) }), /provider/],
  ])('refuses %s', async (_what, body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('has the flat body for a bad signature', async () => {
    const { status, body } = await post(service.url, PATH, key, usageEvent(), {
      'x-signature': `v1=${'0'.repeat(64)}`,
    });
    expect([status, body]).toEqual([401, { error: expect.stringMatching(/match/), code: 'UNAUTHORIZED' }]);
  });

  it('has the envelope for a bad key', async () => {
    expectEnvelope(await send(usageEvent(), 'sk_live_unknown'), 401, 'UNAUTHORIZED');
  });
});

describe('402', () => {
  it('says to buy credits, stores nothing, and accepts the event once there are some', async () => {
    const { id, secret } = await keyWithPlan(1, 1);
    const event = usageEvent();
    expect((await send(event, secret)).status).toBe(202);
    const refused = await send(usageEvent({ idempotency_key: 'refused' }), secret);
    expectEnvelope(refused, 402, 'PAYMENT_REQUIRED');
    expect(refused.body.error.details).toMatchObject({
      actionHint: 'BUY_CREDITS',
      retryable: false,
      userMessage: expect.any(String),
    });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect((await send(event, secret)).body).toEqual(ACCEPTED);

    const { body } = await graphql(
      service.url,
      service.firstRun.operator_token,
      'mutation { eventPackAdd(input: { events: 1 }) { eventPack { credits { creditsLeft } } userErrors { message code } } }',
      {},
      id,
    );
    expect(body.data.eventPackAdd.eventPack.credits.creditsLeft).toBe(1);
    expect((await send(usageEvent({ idempotency_key: 'refused' }), secret)).status).toBe(202);
    expectEnvelope(await send(usageEvent(), secret), 402, 'PAYMENT_REQUIRED');
  });
});

describe('403', () => {
  it('refuses a key that may only read', async () => {
    expectEnvelope(await send(usageEvent(), service.firstRun.live_read_key), 403, 'FORBIDDEN', /usage:write/);
  });
});
