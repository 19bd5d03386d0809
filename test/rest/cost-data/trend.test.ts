import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope } from '../../support/envelope.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const PATH = '/cost-data/trend';
const RANGE = 'start_date=2026-03-01&end_date=2026-03-04';
const event = (day: string, cost: string, team?: string, user?: string) =>
  usageEvent({
    event_invoked_at: `2026-03-${day}`,
    cost_override: cost,
    user_id: user,
    metadata: team === undefined ? {} : { team },
  });

let service: ServiceWithEvents;
let annId: string;
beforeAll(async () => {
  service = await serviceWithEvents(
    [
      event('01T00:00:00Z', '7', 'a', 'ann'),
      event('03T23:59:59.999999Z', '6', 'b', 'ann'),
      event('02T12:00:00Z', '5', 'c'),
      event('02T12:00:00Z', '4', 'd'),
      event('02T12:00:00Z', '3', 'e'),
      event('02T12:00:00Z', '2', 'f'),
      event('02T12:00:00Z', '1'),
      event('04T00:00:00Z', '100', 'f'),
    ],
    ['dimensionRegister(input: { key: "team", label: "Team" }) { dimension { key } }'],
  );
  annId = (await service.read(`/end-user-costs/ann/by-model?${RANGE}`)).body.end_user_id;
});
afterAll(() => service.stop());

const trend = async (query: string) => (await service.read(`${PATH}?${query}`)).body;
const points = (...costs: [string, number][]) =>
  costs.map(([cost, count], index) => ({ date: `2026-03-0${index + 1}`, cost, event_count: count }));
const TOTAL = {
  granularity: 'daily',
  series: [{ key: 'total', label: 'Total', data_points: points(['7', 1], ['15', 5], ['6', 1]) }],
};
const OF_B = {
  granularity: 'daily',
  series: [{ key: 'b', label: 'b', data_points: points(['0', 0], ['0', 0], ['6', 1]) }],
};

describe('200', () => {
  it.each([
    ['2026-03-31', 'daily', '2026-03-01', 30],
    ['2026-03-31T00:00:00.000001Z', 'weekly', '2026-02-23', 6],
    ['2026-05-30', 'weekly', '2026-02-23', 14],
    ['2026-05-30T00:00:00.000001Z', 'monthly', '2026-03-01', 3],
    ['2027-03-01', 'monthly', '2026-03-01', 12],
  ])('rule 1: from the first of March to %s is %s', async (end, granularity, first, buckets) => {
    const {
      granularity: actual,
      series: [{ data_points: data }],
    } = await trend(`start_date=2026-03-01&end_date=${end}`);
    expect([actual, data[0].date, data.length]).toEqual([granularity, first, buckets]);
  });

  it('rule 1: cannot be overridden', async () => {
    expect(await trend(`${RANGE}&granularity=monthly`)).toEqual(TOTAL);
  });

  it('rule 2: one series keyed total, empty buckets included', async () => {
    expect(await trend(RANGE)).toEqual(TOTAL);
  });

  it('rule 3: the five costliest values and the rest, unassigned ones among them', async () => {
    const { series } = await trend(`${RANGE}&dimension_key=team`);
    expect(series.map(({ key }: { key: string }) => key)).toEqual(['a', 'b', 'c', 'd', 'e', 'Other']);
    expect(series[5]).toEqual({ key: 'Other', label: 'Other', data_points: points(['0', 0], ['3', 2], ['0', 0]) });
    const { series: few } = await trend('start_date=2026-03-04&end_date=2026-03-05&dimension_key=team');
    expect(
      few.map(({ key, data_points: [point] }: { key: string; data_points: { cost: string }[] }) => [key, point?.cost]),
    ).toEqual([
      ['f', '100'],
      ['Other', '0'],
    ]);
  });

  it('rule 4: one series for one value, even if it has no events', async () => {
    expect(await trend(`${RANGE}&dimension_key=team&dimension_value=b`)).toEqual(OF_B);
    const { series } = await trend(`${RANGE}&dimension_key=team&dimension_value=Unassigned`);
    expect(series).toEqual([
      { key: 'Unassigned', label: 'Unassigned', data_points: points(['0', 0], ['1', 1], ['0', 0]) },
    ]);
    expect((await trend(`${RANGE}&dimension_key=team&dimension_value=nobody`)).series[0].data_points).toEqual(
      points(['0', 0], ['0', 0], ['0', 0]),
    );
  });

  it('rule 5: one series for one end user', async () => {
    expect(await trend(`${RANGE}&end_user_id=${annId}`)).toEqual({
      granularity: 'daily',
      series: [{ key: annId, label: 'ann', data_points: points(['7', 1], ['0', 0], ['6', 1]) }],
    });
    expect((await trend(`${RANGE}&end_user_id=${annId.toUpperCase()}`)).series[0].key).toBe(annId);
  });

  it('rule 7: ignores a value without its key', async () => {
    expect(await trend(`${RANGE}&dimension_value=b`)).toEqual(TOTAL);
  });

  it('rule 8: ignores the end user next to a dimension, whatever its value', async () => {
    for (const ignored of [annId, '00000000-0000-4000-8000-000000000000', 'no-uuid']) {
      expect(await trend(`${RANGE}&dimension_key=team&dimension_value=b&end_user_id=${ignored}`)).toEqual(OF_B);
      expect(await trend(`${RANGE}&dimension_value=b&end_user_id=${ignored}`)).toEqual(TOTAL);
    }
  });
});

describe('404', () => {
  it('rule 6: accepts only registered dimensions, case-sensitive', async () => {
    for (const key of ['Team', 'agent_id', 'nobody'])
      expectEnvelope(await service.read(`${PATH}?${RANGE}&dimension_key=${key}`), 404, 'NOT_FOUND', /dimension_key/);
  });

  it('refuses a retired dimension', async () => {
    await service.operate(
      'mutation { dimensionRegister(input: { key: "old" }) { dimension { key } userErrors { message } } dimensionRetire(input: { key: "old" }) { dimension { key } userErrors { message } } }',
    );
    expectEnvelope(await service.read(`${PATH}?${RANGE}&dimension_key=old`), 404, 'NOT_FOUND', /dimension_key/);
  });
});
