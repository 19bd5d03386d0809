import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, graphql, post, settle, sign } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { runningService, type RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/usage-events/batch';
let service: RunningService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = service.firstRun.live_ingest_key;
});
afterAll(() => service.stop());

describe('202', () => {
  it('returns a result for each item in order, and counts flagged ones as accepted', async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString();
    const soon = new Date(Date.now() + 120_000).toISOString();
    const { status, body, headers } = await post(service.url, PATH, key, [
      usageEvent(),
      usageEvent({ event_invoked_at: yesterday }),
      usageEvent({ event_invoked_at: soon }),
      usageEvent({ model: 'nobody-has-a-card-for-this' }),
      usageEvent({ model: 'nobody-has-a-card-for-this', cost_override: '0.5' }),
      usageEvent({ input_tokens: -1 }),
      'not an event',
    ]);
    expect(status).toBe(202);
    expect(headers.get('x-service-usage-warning')).toBeNull();
    const accepted = { event_id: expect.stringMatching(/^[0-9a-f-]{36}$/), message: expect.any(String) };
    expect(body).toEqual({
      accepted: 5,
      failed: 2,
      results: [
        { index: 0, status: 'accepted', ...accepted },
        { index: 1, status: 'accepted_flagged', flag_reason: 'timestamp_too_old', ...accepted },
        { index: 2, status: 'accepted_flagged', flag_reason: 'timestamp_in_future', ...accepted },
        { index: 3, status: 'accepted_flagged', flag_reason: 'no_rate_card', ...accepted },
        { index: 4, status: 'accepted', ...accepted },
        { index: 5, status: 'rejected', error: 'VALIDATION_ERROR', message: expect.stringContaining('input_tokens') },
        { index: 6, status: 'rejected', error: 'VALIDATION_ERROR', message: expect.any(String) },
      ],
    });
  });

  it("accepts a resend with the first event's id, even if its other fields differ", async () => {
    const event = usageEvent();
    const first = await post(service.url, PATH, key, [event, event]);
    const resent = await post(service.url, PATH, key, [{ ...event, model: 'other', input_tokens: 7 }]);
    const ids = [...first.body.results, ...resent.body.results].map(({ event_id: id }: { event_id: string }) => id);
    expect(new Set(ids).size).toBe(1);
    expect([first.body.accepted, resent.body.accepted]).toEqual([2, 1]);
  });

  it('stores an event once under twenty concurrent resends', async () => {
    const event = usageEvent({ user_id: 'resent' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(service.url, PATH, key, [event])));
    expect(new Set(answers.map(({ body }) => body.results[0].event_id)).size).toBe(1);
    await settle(service.url, service.firstRun.operator_token);
    const year = new Date().getUTCFullYear();
    const { body } = await get(
      service.url,
      `/end-user-costs/resent/by-model?start_date=${year}-01-01&end_date=${year + 1}-01-01`,
      service.firstRun.live_read_key,
    );
    expect(body.models[0].event_count).toBe(1);
  });

  it('rejects every item of an invalid batch and still returns 202', async () => {
    const { status, body } = await post(service.url, PATH, key, [{}, []]);
    expect(status).toBe(202);
    expect([body.accepted, body.failed]).toEqual([0, 2]);
  });

  it.each([
    ['in its metadata', (deep: string) => `"metadata":{"deep":${deep}}`],
    ['in a field that is ignored', (deep: string) => `"ignored":${deep}`],
  ])('rejects an event nested too deeply %s, and accepts the others', async (_where, field) => {
    const deep = (levels: number) =>
      JSON.stringify(usageEvent()).replace(/\}$/, `,${field('['.repeat(levels) + ']'.repeat(levels))}}`);
    const batch = `[${JSON.stringify(usageEvent())},${deep(50_000)},${deep(65)},${JSON.stringify(usageEvent())}]`;
    const { status, body } = await post(service.url, PATH, key, batch);
    expect([status, body.accepted, body.failed]).toEqual([202, 2, 2]);
    expect(body.results.map(({ status: of }: { status: string }) => of)).toEqual([
      'accepted',
      'rejected',
      'rejected',
      'accepted',
    ]);
    expect(body.results[1]).toMatchObject({
      error: 'VALIDATION_ERROR',
      message: expect.stringMatching(/nested deeper than \d+ levels/),
    });
  });

  it('rejects only an event that is too large', async () => {
    const large = { ...usageEvent(), ignored: 'x'.repeat(300 * 1024) };
    const { status, body } = await post(service.url, PATH, key, [large, usageEvent()]);
    expect([status, body.accepted, body.failed]).toEqual([202, 1, 1]);
    expect(body.results[0]).toMatchObject({
      status: 'rejected',
      error: 'VALIDATION_ERROR',
      message: expect.stringContaining('256 KiB'),
    });
  });

  it('accepts a hundred events, and a body formatted by hand', async () => {
    const { body } = await post(
      service.url,
      PATH,
      key,
      JSON.stringify(
        Array.from({ length: 100 }, () => usageEvent()),
        null,
        4,
      ),
    );
    expect([body.accepted, body.failed]).toEqual([100, 0]);
  });

  it('rejects items beyond the credits, in order, and spends none on a resend', async () => {
    const operator = service.firstRun.operator_token;
    const organization = await graphql(
      service.url,
      operator,
      'mutation { organizationCreate(input: { name: "Small", ownerEmail: "small@example.com", ownerPassword: "correct horse battery" }) { createdOrganization { organization { id } } userErrors { message code } } }',
    );
    const id = organization.body.data.organizationCreate.createdOrganization.organization.id;
    const made = await graphql(
      service.url,
      operator,
      'mutation { apiKeyCreate(input: { name: "i", environment: "live", preset: "ingest" }) { createdApiKey { secret } userErrors { message } } planSet(input: { allotment: 3, softLimit: 2 }) { credits { creditsLeft } userErrors { message code } } }',
      {},
      id,
    );
    const small = made.body.data.apiKeyCreate.createdApiKey.secret;
    const events = Array.from({ length: 5 }, () => usageEvent());
    const first = await post(service.url, PATH, small, events);
    expect(first.body.results.map(({ status }: { status: string }) => status)).toEqual([
      'accepted',
      'accepted',
      'accepted_flagged',
      'rejected',
      'rejected',
    ]);
    expect(first.body.results[3]).toEqual({
      index: 3,
      status: 'rejected',
      error: 'PAYMENT_REQUIRED',
      message: expect.any(String),
    });
    const again = await post(service.url, PATH, small, events);
    expect(
      again.body.results.slice(0, 3).every(({ status }: { status: string }) => status.startsWith('accepted')),
    ).toBe(true);
    expect([again.body.accepted, again.body.failed]).toEqual([3, 2]);
  });
});

describe('400', () => {
  it.each([
    ['an empty batch', [], /1 to 100/],
    ['101 events', Array.from({ length: 101 }, () => usageEvent()), /1 to 100/],
    ['an object', usageEvent(), /array/],
    ['text that is not JSON', '{"a":', /JSON/],
    ['an empty body', '', /JSON/],
  ])('refuses %s', async (_what, body, message) => {
    expectEnvelope(await post(service.url, PATH, key, body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('refuses a missing, a malformed and an unknown key in the envelope', async () => {
    for (const bad of ['', 'sk_live_short', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`]) {
      expectEnvelope(await post(service.url, PATH, bad, [usageEvent()]), 401, 'UNAUTHORIZED');
    }
  });

  it.each([
    ['no signature', { 'x-signature': '' }, /missing/i],
    ['no timestamp', { 'x-timestamp': '' }, /missing/i],
    ["another body's signature", { 'x-signature': `v1=${'0'.repeat(64)}` }, /match/],
  ])('returns %s with the flat body', async (_what, headers, message) => {
    const { status, body } = await post(service.url, PATH, key, [usageEvent()], headers);
    expect(status).toBe(401);
    expect(body).toEqual({ error: expect.stringMatching(message), code: 'UNAUTHORIZED' });
  });

  it.each([
    ['a stale timestamp', -301],
    ['a timestamp ahead', 330],
  ])('returns %s with the flat body', async (_what, seconds) => {
    const headers = { 'x-timestamp': String(Math.floor(Date.now() / 1000) + seconds) };
    const { status, body } = await post(service.url, PATH, key, [usageEvent()], headers);
    expect(status).toBe(401);
    expect(body).toEqual({ error: expect.stringMatching(/5 minutes/), code: 'UNAUTHORIZED' });
  });

  it('needs a signature of the bytes as sent: another formatting of the same JSON does not match', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const events = [usageEvent()];
    const { status } = await post(service.url, PATH, key, JSON.stringify(events, null, 1), {
      'x-timestamp': timestamp,
      'x-signature': sign(key, timestamp, JSON.stringify(events)),
    });
    expect(status).toBe(401);
  });
});

describe('403', () => {
  it('refuses a key without usage:write before checking the signature', async () => {
    const answer = await post(service.url, PATH, service.firstRun.live_read_key, [usageEvent()], {
      'x-signature': 'v1=0',
    });
    expectEnvelope(answer, 403, 'FORBIDDEN', /usage:write/);
  });
});

describe('413 and 415', () => {
  it('refuses more than 4 MiB before checking the signature', async () => {
    expectEnvelope(
      await post(service.url, PATH, key, ' '.repeat(4 * 1024 * 1024 + 1), { 'x-signature': 'v1=0' }),
      413,
      'PAYLOAD_TOO_LARGE',
    );
  });

  it('refuses a body that is not JSON by its content type', async () => {
    expectEnvelope(
      await post(service.url, PATH, key, '[]', { 'content-type': 'text/plain' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });
});

describe('429', () => {
  it('limits both endpoints together and says how long to wait', async () => {
    const limited = await runningService({ INGEST_RATE_LIMIT: '2;w=60' });
    try {
      const { live_ingest_key: limitedKey } = limited.firstRun;
      await post(limited.url, PATH, limitedKey, [usageEvent()]);
      await post(limited.url, '/usage-events', limitedKey, usageEvent());
      const answer = await post(limited.url, PATH, limitedKey, [usageEvent()]);
      expectEnvelope(answer, 429, 'RATE_LIMIT_EXCEEDED');
      expect(
        Object.fromEntries(
          ['limit', 'remaining', 'policy'].map((name) => [name, answer.headers.get(`ratelimit-${name}`)]),
        ),
      ).toEqual({
        limit: '2',
        remaining: '0',
        policy: '2;w=60',
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('ratelimit-reset')).toBe(answer.headers.get('retry-after'));
    } finally {
      await limited.stop();
    }
  });
});
