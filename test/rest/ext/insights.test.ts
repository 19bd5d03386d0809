import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ user_id: 'ann', cost_override: '40', event_invoked_at: '2026-01-12T00:00:00Z' }),
    usageEvent({ user_id: 'ann', cost_override: '5', event_invoked_at: '2026-01-02T00:00:00Z' }),
  ]);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/insights', key, body);
const DATES = { start_date: '2026-01-08', end_date: '2026-01-15' };

describe('200', () => {
  it('contains the largest changes, with figures, query and page', async () => {
    const { status, body } = await send({ ...DATES, first: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ start: '2026-01-08T00:00:00.000Z', end: '2026-01-15T00:00:00.000Z' });
    expect(body.items).toHaveLength(1);
    const [insight] = body.items;
    expect(insight).toMatchObject({
      kind: 'COST_CHANGE',
      at_stake: '35',
      query: { document: expect.stringContaining('costChange'), variables: expect.any(Object) },
      path: expect.stringMatching(/^\/costs\?from=2026-01-08&to=2026-01-14/),
    });
    expect((await send({ start_date: '2025-01-01', end_date: '2025-01-08' })).body.items).toEqual([]);
  });
});

describe('400', () => {
  it('to an invalid member, and to a single date', async () => {
    expectEnvelope(await send({ first: 21 }), 400, 'VALIDATION_ERROR', /first must be a whole number from 1 to 20/);
    expectEnvelope(await send({ start_date: '2026-01-01' }), 400, 'VALIDATION_ERROR');
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
