/**
 * A window that ends within a month, day or hour is read from the row of that month, day or hour if no fact follows in
 * it. The tests remove rows below the sums, so that the answer shows which rows were read.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { query } from '#platform/database/sql.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

const FIGURES = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
  byAgent: costs(groupBy: [AGENT]) { nodes { totalCost } }
  byEndUser: costs(groupBy: [END_USER]) { nodes { totalCost } }
  charges: chargeDays { totalAmount }
  lines: endUserCostLines } }`;
const START = '2026-03-08T07:30:00Z';
const NOW = '2026-03-10T10:40:00Z';

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

async function figures(organizationId: string, end: string): Promise<string[]> {
  const { window } = await world.ask<{
    window: {
      byAgent: { nodes: { totalCost: string }[] };
      byEndUser: { nodes: { totalCost: string }[] };
      charges: { totalAmount: string };
      lines: { total: { cost: string } };
    };
  }>(organizationId, FIGURES, { start: START, end });
  return [
    window.byAgent.nodes[0]?.totalCost ?? '0',
    window.byEndUser.nodes[0]?.totalCost ?? '0',
    window.lines.total.cost,
    window.charges.totalAmount,
  ];
}

/** Facts of 10:10 and 10:20 whose rollups stay, and one at `later` if it is given. */
async function withoutFacts(later: string | null): Promise<string> {
  const organizationId = randomUUID();
  const ann = { endUserExternalId: 'ann', dimensions: { agent_id: 'a' } };
  const facts = ['10:10', '10:20'].map((time) => aFact({ ...ann, eventTime: `2026-03-10T${time}:00.000Z` }));
  world.feed.publish(organizationId, [...facts, ...(later === null ? [] : [aFact({ ...ann, eventTime: later })])]);
  await world.settle();
  await world.database.system((tx) =>
    query(tx, "delete from cost_fact where organization_id = $1 and event_time < '2026-03-10T10:30:00Z'", [
      organizationId,
    ]),
  );
  return organizationId;
}

it('a window up to now reads the row of the day if no event follows on that day', async () => {
  const organizationId = await withoutFacts(null);
  expect(await figures(organizationId, NOW)).toEqual(['1', '1', '1', '1']);
});

it('a window up to now reads the row of the hour if events follow only later on that day', async () => {
  const organizationId = await withoutFacts('2026-03-10T17:00:00.000Z');
  const [byAgent] = await figures(organizationId, NOW);
  expect(byAgent).toBe('1');
});

it('a window up to now adds up facts if events follow in that hour', async () => {
  const organizationId = await withoutFacts('2026-03-10T10:50:00.000Z');
  expect(await figures(organizationId, NOW)).toEqual(['0', '0', '0', '0']);
  expect(await figures(organizationId, '2026-03-10T10:55:00Z')).toEqual(['1.5', '1.5', '1.5', '1.5']);
});

describe('costs of end users', () => {
  const END = '2026-03-20T10:40:00Z';

  async function costs(organizationId: string, start: string, end: string): Promise<string[]> {
    const { window } = await world.ask<{
      window: { byEndUser: { nodes: { totalCost: string }[] }; lines: { total: { cost: string } } };
    }>(
      organizationId,
      `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
        byEndUser: costs(groupBy: [END_USER]) { nodes { totalCost } } lines: endUserCostLines } }`,
      { start, end },
    );
    return [window.lines.total.cost, ...window.byEndUser.nodes.map(({ totalCost }) => totalCost)];
  }

  /** A fact of `ann` on 5 March of which only the sum of the month is left, and facts of `ben` at these times. */
  async function inMonthOnly(...later: string[]): Promise<string> {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [
      aFact({ endUserExternalId: 'ann', eventTime: '2026-03-05T10:10:00.000Z' }),
      ...later.map((eventTime) => aFact({ endUserExternalId: 'ben', eventTime })),
    ]);
    await world.settle();
    await world.database.system(async (tx) => {
      const before = "organization_id = $1 and %s < '2026-03-06'";
      for (const [table, column] of [
        ['cost_fact', 'event_time'],
        ['end_user_day', 'bucket'],
      ] as const)
        await query(tx, `delete from ${table} where ${before.replace('%s', column)}`, [organizationId]);
    });
    return organizationId;
  }

  it.each(['2026-03-01T00:00:00Z', '2026-02-20T05:00:00Z'])(
    'are read from the sum of the month in a window from %s until now',
    async (start) => {
      const organizationId = await inMonthOnly('2026-04-01T00:00:00.000Z');
      expect(await costs(organizationId, start, END)).toEqual(['0.5', '0.5']);
    },
  );

  it.each(['2026-03-20T10:40:00.000Z', '2026-03-21T00:00:00.000Z', '2026-03-31T23:59:59.999Z'])(
    'leave out the days after the window, if an event follows in that month at %s',
    async (later) => {
      const organizationId = await inMonthOnly(later);
      expect(await costs(organizationId, '2026-03-01T00:00:00Z', END)).toEqual(['0.5', '0.5']);
      expect(await costs(organizationId, '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual(['1', '0.5', '0.5']);
    },
  );

  it('leave out the days before the window', async () => {
    const organizationId = await inMonthOnly('2026-03-06T00:00:00.000Z', '2026-03-07T00:00:00.000Z');
    const later = await costs(organizationId, '2026-03-07T00:00:00Z', '2026-04-01T00:00:00Z');
    expect(later).toEqual(['1', '0.5', '0.5']);
  });

  it('are read from days if the window has only a part of the month', async () => {
    const organizationId = await inMonthOnly('2026-03-06T00:00:00.000Z');
    expect(await costs(organizationId, '2026-03-01T00:00:00Z', '2026-03-07T00:00:00Z')).toEqual(['0.5', '0.5']);
  });

  it('can be read up to the last month that a timestamp can express', async () => {
    const organizationId = await inMonthOnly('9999-12-30T00:00:00.000Z');
    expect(await costs(organizationId, '9999-12-01T00:00:00Z', '9999-12-31T12:00:00Z')).toEqual(['0.5', '0.5']);
  });
});
