import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const HOUR_MS = 3_600_000;

let service: ServiceWithEvents;
beforeAll(async () => {
  // One event every six hours.
  const events = Array.from({ length: 100 }, (_, index) =>
    usageEvent({ user_id: 'ann', event_invoked_at: new Date(Date.now() - (index * 6 + 2) * HOUR_MS).toISOString() }),
  );
  service = await serviceWithEvents(events);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/forecast', key, body);

describe('200', () => {
  it('contains the month so far, and the whole month', async () => {
    const { status, body } = await send({});
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['start', 'end', 'booked', 'range', 'reason', 'history_hours', 'past_forecasts']);
    expect(body).toMatchObject({ reason: null, range: { expected: expect.stringMatching(/^\d+(\.\d+)?$/) } });
    expect(Number(body.range.expected)).toBeGreaterThanOrEqual(Number(body.booked));
    expect((await send({ end_user: 'ann', model: 'gpt-4o' })).body.range).not.toBeNull();
  });
});

describe('400', () => {
  it('to an invalid member', async () => {
    expectEnvelope(await send({ user: 'ann' }), 400, 'VALIDATION_ERROR', /has no member user/);
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

describe('404', () => {
  it('for an end user that no event has named', async () => {
    expectEnvelope(await send({ end_user: 'nobody' }), 404, 'NOT_FOUND');
  });
});
