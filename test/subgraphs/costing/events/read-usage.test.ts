import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setPlan } from '../../../../subgraphs/costing/credits/set-plan.operation.ts';
import { priceEventsJob } from '../../../../subgraphs/costing/pricing-queue/price-events.job.ts';
import { ingestUsageEvents } from '../../../../subgraphs/costing/ingestion/ingest-usage-events.operation.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { listEndUserUsageEvents } from '../../../../subgraphs/costing/events/list-end-user-usage-events.operation.ts';
import { getUsageAggregation } from '../../../../subgraphs/costing/events/get-usage-aggregation.operation.ts';
import { listUsageEvents } from '../../../../subgraphs/costing/events/list-usage-events.operation.ts';
import { getUsageSummary } from '../../../../subgraphs/costing/events/get-usage-summary.operation.ts';
import { event, events, type Costing, log, startCosting, statuses } from '../costing-builder.ts';
import { runs } from '../../../support/property-runs.ts';

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await fillThreeDays();
});
afterAll(() => costing.close());

const DAY = Date.parse('2026-03-10T00:00:00Z');
const MICROS = 3 * 86_400_000_000;

function at(micros: number): string {
  const ms = new Date(DAY + Math.floor(micros / 1000)).toISOString();
  return `${ms.slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`;
}

/**
 * 900 live events and some others: crowded hours, empty ones, shared instants, events on the hour, and events a
 * microsecond off.
 */
async function fillThreeDays(): Promise<void> {
  const hour = 3_600_000_000;
  const times = Array.from({ length: 900 }, (_, index) => {
    if (index % 3 === 0) return 30 * hour + (index % 60) * 60_000_000;
    if (index % 7 === 0) return (index % 72) * hour + (index % 2 === 0 ? 0 : hour - 1);
    return Math.floor((index * 7_919_000_003) % MICROS);
  });
  for (let start = 0; start < times.length; start += 100) {
    await ingestUsageEvents(
      costing.live,
      times.slice(start, start + 100).map((micros, index) =>
        event(`fill-${start + index}`, {
          event_invoked_at: at(micros),
          input_tokens: micros % 97,
          output_tokens: 1,
          user_id: `user-${micros % 5}`,
          ...(index % 4 === 0 ? { cost_override: undefined } : {}),
        }),
      ),
    );
    // Some batches are processed: completed, or waiting for a rate card. The others are still queued.
    if (start < 500) await priceEventsJob({ database: costing.live.database, log }).step();
  }
  const [parts] = await costing.rows(`
    select (select sum(completed + pending_rate_card)::int from cost_hour) as counted, (select count(*)::int from pricing_job, unnest(event_ids)) as queued`);
  expect(parts).toEqual({ counted: 500, queued: 400 });
  await ingestUsageEvents(costing.test, events(50, 'test', { event_invoked_at: at(hour) }));
  await ingestUsageEvents(costing.stranger, events(50, 'stranger', { event_invoked_at: at(hour) }));
}

const instant = fc
  .oneof(
    fc.integer({ min: 0, max: MICROS }),
    fc.integer({ min: 0, max: 72 }).map((hours) => hours * 3_600_000_000),
  )
  .map(at);
const dates = fc
  .tuple(instant, instant)
  .filter(([one, other]) => one !== other)
  .map(([one, other]) => (one < other ? { start: one, end: other } : { start: other, end: one }));
const page = fc.record({ limit: fc.integer({ min: 1, max: 400 }), offset: fc.integer({ min: 0, max: 950 }) });

const PLAIN = 'organization_id = $1 and livemode and event_time >= $2 and event_time < $3';

describe('any page of any window', () => {
  it('equals plain SQL, regardless of what has been priced since', async () => {
    await fc.assert(
      fc.asyncProperty(dates, page, async (input, { limit, offset }) => {
        const window = parseWindow(input);
        const answer = await listUsageEvents(costing.live, window, { limit, offset });
        const all = await costing.rows<{ id: string }>(
          `select id::text from usage_event where ${PLAIN} order by event_time desc, id`,
          [costing.organizationId, window.start.iso, window.end.iso],
        );
        expect(answer.total).toBe(all.length);
        expect(answer.offset).toBe(offset);
        expect(answer.events().map(({ id }) => id)).toEqual(all.slice(offset, offset + limit).map(({ id }) => id));
        expect(answer.limit).toBe(answer.events().length);
      }),
      runs(40, { nightly: 300 }),
    );
  });

  it('has sums that equal plain SQL', async () => {
    await fc.assert(
      fc.asyncProperty(dates, async (input) => {
        const window = parseWindow(input);
        const [plain] = await costing.rows<{ events: number; quantity: number; first: string; last: string }>(
          `
        select count(*)::int as events, coalesce(sum(input_tokens + output_tokens), 0)::int as quantity,
          (min(extract(epoch from event_time)) * 1e6)::text as first, (max(extract(epoch from event_time)) * 1e6)::text as last
        from usage_event where ${PLAIN}`,
          [costing.organizationId, window.start.iso, window.end.iso],
        );
        const summary = await getUsageSummary(costing.live, window);
        expect(summary.totalEvents).toBe(plain?.events);
        expect(summary.metrics).toEqual(
          plain?.events === 0
            ? []
            : [{ metricName: 'tokens', totalQuantity: plain?.quantity, eventCount: plain?.events }],
        );
        const { aggregations } = await getUsageAggregation(costing.live, window);
        expect(aggregations.map(({ totalQuantity, eventCount }) => [totalQuantity, eventCount])).toEqual(
          plain?.events === 0 ? [] : [[plain?.quantity, plain?.events]],
        );
      }),
      runs(20, { nightly: 100 }),
    );
  });

  it('equals plain SQL for one end user too', async () => {
    await fc.assert(
      fc.asyncProperty(dates, page, fc.integer({ min: 0, max: 5 }), async (input, { limit, offset }, user) => {
        const answer = await listEndUserUsageEvents(costing.live, `user-${user}`, { ...input, limit, offset });
        const all = await costing.rows<{ id: string }>(
          `
        select id::text from usage_event where ${PLAIN} and end_user_external_id = $4 order by event_time desc, id`,
          [costing.organizationId, input.start, input.end, `user-${user}`],
        );
        expect(answer.total).toBe(all.length);
        expect(answer.events().map(({ id }) => id)).toEqual(all.slice(offset, offset + limit).map(({ id }) => id));
      }),
      runs(20, { nightly: 100 }),
    );
  });
});

describe('a stored event', () => {
  const whole = parseWindow({ start: '2025-01-01', end: '2025-02-01' });

  it('shows its quantity, its instant and the fields sent with it', async () => {
    const sent = event('shown', {
      event_invoked_at: '2025-01-05T10:00:00.000250+02:00',
      provider: 'openai',
      feature: 'chat',
      agent_id: 'agent',
      units: '2.50',
      input_tokens: 7,
      output_tokens: 8,
      metadata: { feature: 'other', team: { list: [1, null, 'x'] }, workflow_id: 12 },
    });
    const { results } = await ingestUsageEvents(costing.live, [
      sent,
      event('bare', { event_invoked_at: '2025-01-04T00:00:00Z' }),
    ]);
    const { events, total } = await listUsageEvents(costing.live, whole, { limit: 100, offset: 0 });
    expect(total).toBe(2);
    expect(JSON.parse(JSON.stringify(events().map(({ id, page }) => ({ id, ...page }))))).toEqual([
      {
        id: results[0] && 'event_id' in results[0] ? results[0].event_id : '',
        quantity: 15,
        eventTimestamp: '2025-01-05T08:00:00.000250Z',
        metadata: {
          provider: 'openai',
          feature: 'chat',
          agent_id: 'agent',
          workflow_id: 12,
          units: 2.5,
          team: { list: [1, null, 'x'] },
        },
      },
      {
        id: expect.any(String),
        quantity: 15,
        eventTimestamp: '2025-01-04T00:00:00.000Z',
        metadata: {},
      },
    ]);
  });

  it('is found only by its own metric', async () => {
    const request = { limit: 10, offset: 0 };
    expect(await listUsageEvents(costing.live, whole, { ...request, metricName: 'Tokens' })).toMatchObject({
      total: 0,
      limit: 0,
      offset: 0,
    });
    expect((await listUsageEvents(costing.live, whole, { ...request, metricName: 'tokens' })).total).toBe(2);
  });

  it('is not visible if a test key sent it, with any kind of key', async () => {
    await statuses(costing.test, [event('unseen', { event_invoked_at: '2025-01-06T00:00:00Z' })]);
    expect((await listUsageEvents(costing.test, whole, { limit: 10, offset: 0 })).total).toBe(2);
    expect((await getUsageSummary(costing.test, whole)).totalEvents).toBe(2);
  });

  it('is not listed on pages that are too large or have a negative offset', async () => {
    for (const request of [
      { limit: 0, offset: 0 },
      { limit: 1001, offset: 0 },
      { limit: 1, offset: -1 },
    ]) {
      await expect(listUsageEvents(costing.live, whole, request)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});

it('an event that could not be paid for is not counted', async () => {
  const poor = costing.stranger;
  await setPlan(poor, { allotment: 2 });
  await statuses(poor, events(5, 'poor', { event_invoked_at: '2024-05-05T00:30:00Z' }));
  expect((await getUsageSummary(poor, parseWindow({ start: '2024-05-05', end: '2024-05-06' }))).totalEvents).toBe(2);
});
