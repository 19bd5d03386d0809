import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/usage/events';
const RANGE = 'start_date=2026-03-01&end_date=2026-03-03';
const METADATA = { team: 'red', deep: { list: [1, { two: null }] }, __proto__x: 'kept', number: 0.1, ünï: '🟢' };

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', input_tokens: 10, output_tokens: 5, provider: undefined }),
    usageEvent({
      event_invoked_at: '2026-03-01T12:00:00.000250+02:00',
      input_tokens: 1,
      output_tokens: 2,
      metadata: METADATA,
      provider: 'Acme',
      feature: 'search',
      agent_id: 'a',
      workflow_id: 'w',
      units: '2.50',
      model: 'nobody-has-a-card',
      user_id: 'ann',
      experiment: { experiment_id: 'e', variant: 'v' },
      session_id: 's',
    }),
    ...Array.from({ length: 5 }, () => usageEvent({ event_invoked_at: '2026-03-02T00:00:00Z' })),
    usageEvent({ event_invoked_at: '2026-03-03T00:00:00Z' }),
  ]);
});
afterAll(() => service.stop());

const page = async (query: string) => (await service.read(`${PATH}?${query}`)).body;

describe('200', () => {
  it('lists live events newest first, then by id, with the sent and the mapped keys', async () => {
    const { events, ...rest } = await page(RANGE);
    expect(rest).toEqual({ total: 7, limit: 7, offset: 0 });
    const ids = events.slice(0, 5).map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort());
    const stored = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), event_type: 'ai.inference', metric_name: 'tokens' };
    expect(events[5]).toEqual({
      ...stored,
      quantity: 3,
      event_timestamp: '2026-03-01T10:00:00.000250Z',
      metadata: { ...METADATA, provider: 'Acme', feature: 'search', agent_id: 'a', workflow_id: 'w', units: 2.5 },
    });
    expect(events[6]).toEqual({ ...stored, quantity: 15, event_timestamp: '2026-03-01T10:00:00.000Z', metadata: {} });
  });

  it('pages: `limit` is the number of events on the page, `total` the number of all that match', async () => {
    const all = (await page(RANGE)).events;
    for (const [limit, offset] of [
      [3, 0],
      [3, 3],
      [3, 6],
      [1000, 2],
      [1, 6],
    ] as const) {
      const events = all.slice(offset, offset + limit);
      expect(await page(`${RANGE}&limit=${limit}&offset=${offset}`)).toEqual({
        events,
        total: 7,
        limit: events.length,
        offset,
      });
    }
    expect(await page(`${RANGE}&offset=2147483647`)).toEqual({ events: [], total: 7, limit: 0, offset: 2147483647 });
  });

  it('returns a hundred events by default', async () => {
    await service.send(
      Array.from({ length: 120 }, (_, second) =>
        usageEvent({ event_invoked_at: `2026-05-01T00:${String(second % 60).padStart(2, '0')}:00Z` }),
      ),
    );
    expect(await page('start_date=2026-05-01&end_date=2026-05-02')).toMatchObject({
      total: 120,
      limit: 100,
      offset: 0,
    });
  });

  it('matches the metric exactly, in lowercase', async () => {
    expect((await page(`${RANGE}&metric_name=tokens`)).total).toBe(7);
    for (const other of ['Tokens', 'token', 'requests'])
      expect(await page(`${RANGE}&metric_name=${other}`)).toEqual({ events: [], total: 0, limit: 0, offset: 0 });
  });

  it('accepts ninety days to the microsecond', async () => {
    expect(
      (await service.read(`${PATH}?start_date=2026-01-01T00:00:00.000001Z&end_date=2026-04-01T00:00:00.000001Z`))
        .status,
    ).toBe(200);
  });
});

describe('400', () => {
  it('refuses a microsecond more than ninety days', async () => {
    expectEnvelope(
      await service.read(`${PATH}?start_date=2026-01-01&end_date=2026-04-01T00:00:00.000001Z`),
      400,
      'VALIDATION_ERROR',
      /90 days/,
    );
  });
});

describe('404', () => {
  it('refuses a subscription that was never synced', async () => {
    expectEnvelope(await service.read(`${PATH}?${RANGE}&subscription_id=sub_1`), 404, 'NOT_FOUND', /subscription_id/);
  });
});
