/**
 * A window that ends within a day is read from the row of that day or hour if no fact follows in it. The test removes
 * facts below the rollups, so that the answer shows which rows were read.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('reads the row of the day if no event follows on that day', async () => {
  const organizationId = await withoutFacts(null);
  expect(await figures(organizationId, NOW)).toEqual(['1', '1', '1', '1']);
});

it('reads the row of the hour if events follow later on that day', async () => {
  const organizationId = await withoutFacts('2026-03-10T17:00:00.000Z');
  const [byAgent] = await figures(organizationId, NOW);
  expect(byAgent).toBe('1');
});

it('adds up facts if events follow in that hour', async () => {
  const organizationId = await withoutFacts('2026-03-10T10:50:00.000Z');
  expect(await figures(organizationId, NOW)).toEqual(['0', '0', '0', '0']);
  expect(await figures(organizationId, '2026-03-10T10:55:00Z')).toEqual(['1.5', '1.5', '1.5', '1.5']);
});
