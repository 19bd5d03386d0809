import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { forecastCosts } from '../../../../subgraphs/attribution/selections/forecast-costs.operation.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const FORECAST = `query ($filter: CostFilter) {
  costForecast(filter: $filter) { start end booked range { low expected high } reason historyHours pastForecasts }
}`;
interface Forecast {
  readonly start: string;
  readonly end: string;
  readonly booked: string;
  readonly range: { low: string; expected: string; high: string } | null;
  readonly reason: string | null;
  readonly pastForecasts: number;
}

const HOUR_MS = 3_600_000;

describe('Query.costForecast', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());
  const ask = async (organizationId: string, filter: object | null = null) =>
    (await world.ask<{ costForecast: Forecast }>(organizationId, FORECAST, { filter })).costForecast;
  /** One event of one dollar every hour, for this many hours until now. */
  const publish = async (hours: number) => {
    const organizationId = randomUUID();
    const latest = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const facts = Array.from({ length: hours }, (_, hour) =>
      aFact({
        eventTime: new Date(latest - hour * HOUR_MS).toISOString(),
        totalCost: '1',
        endUserExternalId: 'ann',
        dimensions: { agent_id: hour < 48 ? 'new' : 'old' },
      }),
    );
    for (let at = 0; at < facts.length; at += 400) world.feed.publish(organizationId, facts.slice(at, at + 400));
    await world.settle();
    return organizationId;
  };

  it('the forecast of a dollar an hour is a dollar for every hour of the month, for an end user too', async () => {
    const organizationId = await publish(24 * 32);
    const { start, end, booked, range, reason } = await ask(organizationId);
    const monthHours = (Date.parse(end) - Date.parse(start)) / HOUR_MS;
    expect({ range, reason }).toEqual({
      range: { low: String(monthHours), expected: String(monthHours), high: String(monthHours) },
      reason: null,
    });
    expect(Number(booked)).toBeLessThanOrEqual(monthHours);
    expect((await ask(organizationId, { endUser: 'ann' })).range).toEqual(range);
  });

  it('is not below the booked costs, and covers only the current month, even in its first hours', async () => {
    const organizationId = randomUUID();
    const hourly = Array.from({ length: 33 * 24 }, (_, hour) =>
      aFact({ eventTime: new Date(Date.parse('2026-04-01T23:00:00Z') - hour * HOUR_MS).toISOString(), totalCost: '1' }),
    );
    for (let at = 0; at < hourly.length; at += 400) world.feed.publish(organizationId, hourly.slice(at, at + 400));
    world.feed.publish(organizationId, [aFact({ eventTime: '2026-04-02T00:10:00.000Z', totalCost: '5000' })]);
    await world.settle();
    const at = async (requestedAt: string) => {
      const context = world.context(organizationId);
      const { booked, range } = await forecastCosts(
        { ...context, principal: { ...context.principal, requestedAt } },
        null,
      );
      return [booked, range?.low, range?.expected, range?.high].map((amount) => plain((amount ?? 0n) as bigint));
    };
    expect(await at('2026-04-01T00:30:00.000Z')).toEqual(['1', '720', '720', '720']);
    expect(await at('2026-04-01T00:00:00.000Z')).toEqual(['0', '720', '720', '720']);
    expect(await at('2026-04-02T00:30:00.000Z')).toEqual(['5024', '5024', '5024', '5024']);
  });

  it('does not exist with too little history, and says why', async () => {
    const organizationId = await publish(24 * 32);
    expect(await ask(organizationId, { agent: 'new' })).toMatchObject({
      range: null,
      reason: expect.stringMatching(/21 days of past costs that match the filter: there are [12]$/),
    });
    expect(await ask(randomUUID())).toMatchObject({ booked: '0', range: null, pastForecasts: 0 });
    await expect(ask(organizationId, { endUser: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
