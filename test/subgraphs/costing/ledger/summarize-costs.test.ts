import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPeriodCosts } from '../../../../subgraphs/costing/ledger/period-costs.query.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { summarizeCosts } from '../../../../subgraphs/costing/ledger/summarize-costs.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { plain } from '#kernel/money.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';
import { runs } from '../../../support/property-runs.ts';

let pricing: Costing;
const HOUR = 3_600_000;
const base = Date.UTC(2026, 2, 1, 10);
const window = ({ start, end }: { start: string; end: string }) => ({
  start: parseIso8601(start)!,
  end: parseIso8601(end)!,
});
const atTime = (ms: number) => new Date(ms).toISOString();

beforeAll(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '0.123456789', output: '7' });
  const times = Array.from({ length: 400 }, (_, index) => base + ((index * 7_919_777) % (12 * HOUR)));
  await pricing.send([
    ...times.map((time, index) =>
      call({ event_invoked_at: atTime(time), input_tokens: index, model: index % 11 === 0 ? 'unknown' : 'acme-1' }),
    ),
    ...[base, base + HOUR, base + 2 * HOUR - 1].map((time) => call({ event_invoked_at: atTime(time) })),
  ]);
  await pricing.settle();
  await setRate(pricing.global, {
    model: 'acme-1',
    input: '1',
    output: '7',
    effectiveFrom: atTime(base + 5 * HOUR + 12_345),
  });
  await reprice(pricing.operator, { start: atTime(base), end: atTime(base + 12 * HOUR), dryRun: false });
  await pricing.send(times.slice(0, 50).map((time) => call({ event_invoked_at: atTime(time + 1) })));
});
afterAll(() => pricing.close());

it('any period equals plain SQL to the last digit', async () => {
  const instant = fc
    .integer({ min: base - HOUR, max: base + 13 * HOUR })
    .chain((ms) => fc.constantFrom(ms, Math.floor(ms / HOUR) * HOUR));
  await fc.assert(
    fc.asyncProperty(instant, instant, instant, instant, async (a, b, c, d) => {
      const period = { start: atTime(Math.min(a, b)), end: atTime(Math.max(a, b)) };
      const previous = { start: atTime(Math.min(c, d)), end: atTime(Math.max(c, d)) };
      const found = await pricing.database.write(pricing.organizationId, (tx) =>
        readPeriodCosts(tx, pricing.organizationId, window(period), window(previous)),
      );
      const [expected] = await pricing.rows(
        `
      with e as (select * from usage_event where organization_id = $1 and livemode and event_time >= $2 and event_time < $3)
      select (select coalesce(sum(total_cost), 0)::text from cost_entry c join e on e.id = c.event_id) as total_cost,
        (select count(*)::float8 from cost_entry c join e on e.id = c.event_id where sequence = 0) as completed,
        (select count(*)::float8 from unpriced_event u join e on e.id = u.event_id where status = 'failed') as failed,
        (select count(*)::float8 from unpriced_event u join e on e.id = u.event_id where status = 'pending_rate_card') as pending_rate_card,
        (select count(*)::float8 from pricing_job j, unnest(event_ids) q (id) join e on e.id = q.id) as pending,
        (select coalesce(sum(total_cost), 0)::text from cost_entry where organization_id = $1 and event_time >= $4 and event_time < $5) as previous_cost`,
        [pricing.organizationId, period.start, period.end, previous.start, previous.end],
      );
      const number = (row: Record<string, unknown>) => ({
        ...row,
        totalCost: Number(row['totalCost']).toFixed(15),
        previousCost: Number(row['previousCost']).toFixed(15),
      });
      expect(number({ ...found })).toEqual(number(expected as Record<string, unknown>));
      expect(found.totalCost.replace(/\.?0+$/, '')).toBe(
        (expected as { totalCost: string }).totalCost.replace(/\.?0+$/, ''),
      );
    }),
    runs(20, { nightly: 200 }),
  );
});

it('the summary compares with the period before, and counts every state', async () => {
  const other = await startCosting(pricing.database);
  const days = (count: number) => atTime(Date.now() - count * 24 * HOUR);
  await other.send([
    call({ event_invoked_at: days(1), cost_override: '3' }),
    call({ event_invoked_at: days(2), cost_override: '1.5' }),
    call({ event_invoked_at: days(8), cost_override: '3' }),
    call({ event_invoked_at: days(1), model: 'unknown' }),
  ]);
  await other.settle();
  await other.send([call({ event_invoked_at: days(3), cost_override: '1' })]);
  const { currentPeriodCost, previousPeriodCost, changeAmount, ...rest } = await summarizeCosts(
    other.live,
    'LAST_7_DAYS',
  );
  expect([currentPeriodCost, previousPeriodCost, changeAmount].map(plain)).toEqual(['4.5', '3', '1.5']);
  expect(rest).toMatchObject({
    changePercent: 50,
    eventCount: 2,
    statusCounts: { completed: 2, failed: 0, pending: 1, pendingRateCard: 1 },
  });
});

it('the summary shows 0 percent for zero costs, and 100 for costs after none', async () => {
  const other = await startCosting(pricing.database);
  expect((await summarizeCosts(other.live, 'LAST_7_DAYS')).changePercent).toBe(0);
  await other.send([call({ cost_override: '1' })]);
  await other.settle();
  expect((await summarizeCosts(other.live, 'LAST_7_DAYS')).changePercent).toBe(100);
});
