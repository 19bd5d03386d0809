import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const DAY_MS = 86_400_000;
const NOW = new Date();
const [YEAR, MONTH] = [NOW.getUTCFullYear(), NOW.getUTCMonth()];
const month = (monthsAgo: number, day = 1) => new Date(Date.UTC(YEAR, MONTH - monthsAgo, day)).toISOString();
const event = (at: string, cost: string | null) =>
  usageEvent({ event_invoked_at: at, ...(cost === null ? { model: 'nobody-has-a-card' } : { cost_override: cost }) });

let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    event(month(0), '3'),
    event(month(0), null),
    event(month(1), '0.5'),
    event(month(1, 28), '0.5'),
    event(month(2), '8'),
    event(new Date(Date.UTC(YEAR - 1, 0, 1)).toISOString(), '100'),
    event(new Date(Date.UTC(YEAR - 1, 0, 1) - 1).toISOString(), '60'),
  ]);
});
afterAll(() => service.stop());

const summary = async (window?: string) =>
  (await service.read(`/cost-data/summary${window === undefined ? '' : `?time_window=${window}`}`)).body;

/** The summary of a window that ends when it is requested. */
async function endingNow(window?: string): Promise<any> {
  const before = Date.now();
  const body = await summary(window);
  expect(Date.parse(body.period_end)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(body.period_end)).toBeLessThanOrEqual(Date.now());
  return body;
}

describe('200', () => {
  it('is the month to date by default', async () => {
    const { period_end: end, ...rest } = await endingNow();
    const reachesMonthBefore = Date.parse(end) - Date.parse(month(0)) > 27 * DAY_MS;
    const previous = reachesMonthBefore ? '1' : '0.5';
    expect(rest).toEqual({
      current_period_cost: '3',
      previous_period_cost: previous,
      change_amount: reachesMonthBefore ? '2' : '2.5',
      change_percent: reachesMonthBefore ? 200 : 500,
      event_count: 1,
      period_start: month(0),
      status_counts: { completed: 1, failed: 0, pending: 0, pending_rate_card: 1 },
    });
    expect(await summary('current-period')).toEqual({ ...rest, period_end: expect.any(String) });
  });

  it('compares whole months and whole years with the previous ones', async () => {
    expect(await summary('last-period')).toEqual({
      current_period_cost: '1',
      previous_period_cost: '8',
      change_amount: '-7',
      change_percent: -87.5,
      event_count: 2,
      period_start: month(1),
      period_end: month(0),
      status_counts: { completed: 2, failed: 0, pending: 0, pending_rate_card: 0 },
    });
    const lastYear = await summary('last-year');
    expect(lastYear).toMatchObject({
      previous_period_cost: '60',
      period_start: `${YEAR - 1}-01-01T00:00:00.000Z`,
      period_end: `${YEAR}-01-01T00:00:00.000Z`,
    });
    expect(Number(lastYear.current_period_cost)).toBeGreaterThanOrEqual(100);
  });

  it.each([
    ['last-7-days', 7],
    ['last-30-days', 30],
    ['last-90-days', 90],
  ])('rolling windows end now: %s', async (window, days) => {
    const { period_start: start, period_end: end } = await endingNow(window);
    expect(Date.parse(end) - Date.parse(start)).toBe(days * DAY_MS);
  });

  it('begins the year to date on the first of January', async () => {
    expect(await summary('ytd')).toMatchObject({
      period_start: `${YEAR}-01-01T00:00:00.000Z`,
      previous_period_cost: expect.stringMatching(/^1\d\d/),
    });
  });

  it('shows no change from zero to zero, and a hundred percent from zero to something', async () => {
    const empty = await serviceWithEvents([]);
    try {
      const zeros = {
        current_period_cost: '0',
        previous_period_cost: '0',
        change_amount: '0',
        change_percent: 0,
        event_count: 0,
      };
      expect((await empty.read('/cost-data/summary?time_window=last-7-days')).body).toMatchObject(zeros);
      await empty.send([usageEvent({ cost_override: '0.000000000000001' })]);
      expect((await empty.read('/cost-data/summary?time_window=last-7-days')).body).toMatchObject({
        ...zeros,
        current_period_cost: '0.000000000000001',
        change_amount: '0.000000000000001',
        change_percent: 100,
        event_count: 1,
      });
    } finally {
      await empty.stop();
    }
  });
});
