/** `POST /ext/v1/outcomes`, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt, postSignedExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ cost_override: '0.02', event_invoked_at: '2026-01-15T10:00:00Z', metadata: { task_id: 'ticket-1' } }),
    usageEvent({ cost_override: '0.02', event_invoked_at: '2026-01-15T10:02:00Z', metadata: { task_id: 'ticket-1' } }),
    usageEvent({ cost_override: '5', event_invoked_at: '2026-01-15T10:05:00Z', session_id: 'other' }),
  ]);
});
afterAll(() => service.stop());

const send = (body: unknown, key: string = service.firstRun.live_ingest_key, headers: Record<string, string> = {}) =>
  postSignedExt(service.url, '/outcomes', key, body, headers);
const outcome = (key: string, minute: number, succeeded: boolean, more: object = {}) => ({
  key,
  name: 'ticket_resolved',
  task_id: 'ticket-1',
  at: `2026-01-15T10:0${minute}:00Z`,
  succeeded,
  ...more,
});
const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };
const costs = async (more: object = {}) =>
  (await postExt(service.url, '/outcome-costs', service.firstRun.live_read_key, { ...JANUARY, ...more })).body;

describe('202', () => {
  it('records outcomes item by item; a resend changes nothing', async () => {
    const batch = [
      outcome('first', 1, false),
      outcome('second', 3, true, { value: 1.5, metadata: { plan: 'pro' } }),
      { key: 'wrong' },
    ];
    const { status, body } = await send(batch);
    expect([status, body]).toEqual([
      202,
      {
        accepted: 2,
        failed: 1,
        results: [
          { index: 0, status: 'accepted', key: 'first', effect: 'new', error: null, message: 'Recorded' },
          { index: 1, status: 'accepted', key: 'second', effect: 'new', error: null, message: 'Recorded' },
          {
            index: 2,
            status: 'rejected',
            key: 'wrong',
            effect: null,
            error: 'VALIDATION_ERROR',
            message: 'name is required',
          },
        ],
      },
    ]);
    const before = await costs();
    expect(before.outcomes).toMatchObject({
      groups: [{ value: 'ticket_resolved' }],
      total: { count: 2, succeeded: 1, cost: '0.04', cost_per_success: '0.04', value: '1.5', value_less_cost: '1.46' },
      cost_without_outcome: '5',
    });
    expect((await send(batch)).body.results).toMatchObject([{ effect: 'none' }, { effect: 'none' }, {}]);
    expect(await costs()).toEqual(before);
    const one = await send(`${JSON.stringify(outcome('line', 4, true))}\n`, undefined, {
      'content-type': 'application/x-ndjson',
    });
    expect([one.status, one.body.accepted]).toEqual([202, 1]);
    expect((await send(outcome('line', 4, false))).body.results).toMatchObject([{ effect: 'correction' }]);
  });

  it('keeps outcomes of test keys out of the figures', async () => {
    const before = await costs();
    expect((await send([outcome('test', 9, true)], service.firstRun.test_ingest_key)).status).toBe(202);
    expect(await costs()).toEqual(before);
    const { outcome: found } = await service.operate('{ outcome(key: "test", livemode: false) { livemode cost } }');
    expect(found).toEqual({ livemode: false, cost: '0' });
  });
});

describe('400', () => {
  it('to a batch that is empty, too large or not JSON', async () => {
    expectEnvelope(await send([]), 400, 'VALIDATION_ERROR', /1 to 100/);
    expectEnvelope(await send(Array.from({ length: 101 }, () => ({}))), 400, 'VALIDATION_ERROR', /1 to 100/);
    expectEnvelope(await send('[{'), 400, 'VALIDATION_ERROR');
  });
});

describe('401 and 403', () => {
  it('401 and 403 without a key or with a wrong signature, and to an unsigned body or a key without the scope', async () => {
    expectEnvelope(await postExt(service.url, '/outcomes', null, []), 401, 'UNAUTHORIZED');
    expectEnvelope(await send([], undefined, { 'x-signature': 'v1=0' }), 401, 'UNAUTHORIZED');
    expectEnvelope(
      await postExt(service.url, '/outcomes', service.firstRun.live_ingest_key, [outcome('unsigned', 1, true)]),
      403,
      'FORBIDDEN',
    );
    expectEnvelope(await send([], service.firstRun.live_read_key), 403, 'FORBIDDEN', /usage:write/);
  });
});

describe('404', () => {
  it('for the path that the contract names, with the GraphQL field that has the data', async () => {
    const answer = await service.read('/attribution-data/by-outcome');
    expectEnvelope(answer, 404, 'NOT_FOUND', /Window\.outcomes/);
  });
});
