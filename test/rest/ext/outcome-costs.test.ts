import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postExt, postSignedExt } from '../../support/api-client.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn } from '../../support/visitor.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  const at = (minute: number) => `2026-01-15T10:0${minute}:00Z`;
  service = await serviceWithEvents(
    [1, 2, 3, 4].map((minute) =>
      usageEvent({ cost_override: '0.02', session_id: `s${minute}`, user_id: 'ann', event_invoked_at: at(minute) }),
    ),
  );
  const outcomes = [1, 2, 3, 4].map((minute) => ({
    key: `k${minute}`,
    name: 'reply <b>',
    session_id: `s${minute}`,
    at: at(minute),
    succeeded: minute % 2 === 0,
    value: '0.03',
  }));
  const { status } = await postSignedExt(service.url, '/outcomes', service.firstRun.live_ingest_key, outcomes);
  expect(status).toBe(202);
});
afterAll(() => service.stop());
const send = (body: unknown, key: string | null = service.firstRun.live_read_key) =>
  postExt(service.url, '/outcome-costs', key, body);
const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };

describe('200', () => {
  it('counts failed attempts: $0.02 an attempt at 50 % success is $0.04 a success', async () => {
    const { status, body } = await send({ ...JANUARY, group_by: 'end_user' });
    const figures = {
      count: 4,
      succeeded: 2,
      failed: 2,
      cost: '0.08',
      event_count: 4,
      cost_per_attempt: '0.02',
      cost_per_success: '0.04',
      failed_cost: '0.04',
      failed_cost_percent: 50,
      value: '0.06',
      value_less_cost: '-0.02',
      other_values: [],
    };
    expect([status, body]).toEqual([
      200,
      {
        start: '2026-01-01T00:00:00.000Z',
        end: '2026-02-01T00:00:00.000Z',
        outcomes: {
          groups: [{ value: 'ann', figures }],
          total_groups: 1,
          total: figures,
          cost_without_outcome: '0',
        },
      },
    ]);
    expect((await send({ ...JANUARY, name: 'another' })).body.outcomes).toMatchObject({ total: { count: 0 } });
    expect((await send({ ...JANUARY, dimension: 'plan' })).body.outcomes.groups).toMatchObject([
      { value: 'Unassigned' },
    ]);
  });

  it('shows the same on the page, two clicks from the overview, with links to the sessions', async () => {
    const person = await signedIn(service.url, service.firstRun);
    const dates = 'from=2026-01-01&to=2026-01-31';
    expect((await person.get(`/costs?${dates}`)).html).toContain(
      '<a href="/outcomes?from=2026-01-01&amp;to=2026-01-31">',
    );
    const { status, html } = await person.get(`/outcomes?${dates}`);
    expect(status).toBe(200);
    expect(html).toContain('reply &lt;b&gt;</a></th>');
    expect(html).toContain('<b><data value="0.04">$0.04</data></b> per completed task');
    expect(html).toContain('<a href="/events/session?id=s4">s4</a>');
    expect(html).toContain('<span class="badge bad">loss</span>');
    for (const group of ['agent', 'customer', 'model'])
      expect((await person.get(`/outcomes?${dates}&group=${group}`)).status).toBe(200);
    const empty = await person.get('/outcomes?from=2025-01-01&to=2025-01-31');
    expect(empty.html).toContain('No outcomes in this period');
  });
});

describe('400', () => {
  it('to an invalid member', async () => {
    expectEnvelope(await send({ group_by: 'color' }), 400, 'VALIDATION_ERROR', /group_by must be one of/);
    expectEnvelope(await send({ first: 1001 }), 400, 'VALIDATION_ERROR', /first must be a whole number from 1 to 1000/);
    expectEnvelope(
      await send({ group_by: 'name', dimension: 'plan' }),
      400,
      'VALIDATION_ERROR',
      /groupBy or groupByDimension/,
    );
  });
});

describe('401 and 403', () => {
  it('401 and 403 without a key, and to a key without the scope', async () => {
    expectEnvelope(await send({}, null), 401, 'UNAUTHORIZED');
    expectEnvelope(await send({}, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', /costs:read/);
  });
});
