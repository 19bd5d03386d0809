import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AlertedService, alertedService, ANY_EVENT } from '../../support/alerted-service.ts';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';

let service: AlertedService;
beforeAll(async () => {
  service = await alertedService();
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/alerts', key, body);

describe('200', () => {
  it('contains open alerts, whether or not anyone is notified of them', async () => {
    expect((await send({})).body).toEqual({
      total_count: 0,
      page_info: { has_next_page: false, end_cursor: null },
      items: [],
    });
    const id = await service.rule({ ...ANY_EVENT, muted: true });
    await service.judge();
    const { status, body } = await send({ state: 'all', rule_id: id, first: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total_count: 1,
      items: [{ kind: 'THRESHOLD', state: 'OPEN', rule_id: id, rule: { name: 'Any event', is_muted: true } }],
    });
    expect((await send({ state: 'closed' })).body.total_count).toBe(0);
  });
});

describe('400', () => {
  it.each([
    [{ state: 'odd' }, /state must be one of/],
    [{ first: 0 }, /first must be a whole number from 1 to 200/],
    [{ first: '1.5' }, /first must be a whole number from 1 to 200/],
    [{ rules: 'x' }, /has no member rules/],
  ])('to %j', async (body, message) => {
    expectEnvelope(await send(body), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it('to a key without its scope', async () => {
    expectEnvelope(await send({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
  });
});
