/** The lines of a trend by dimension: the costliest values, and the rest. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { aFact } from '../a-fact.ts';
import { startAttribution } from '../attribution-builder.ts';

it('values of the same cost are in the order of their bytes, including at the limit of five', async () => {
  const world = await startAttribution();
  const organizationId = randomUUID();
  const values = ['b', 'd', 'ä', 'a', 'B', 'c'];
  world.feed.publish(
    organizationId,
    values.map((value) => aFact({ dimensions: { agent_id: value } })),
  );
  await world.settle();
  await world.ask(
    organizationId,
    'mutation { dimensionRegister(input: { key: "agent_id" }) { userErrors { message } } }',
  );
  const TREND = `{ window(start: "2026-03-10", end: "2026-03-11") {
    trend(dimensionKey: "agent_id") { series { key dataPoints { cost } } } } }`;
  const line = (key: string) => ({ key, dataPoints: [{ cost: '0.5' }] });
  expect(await world.ask(organizationId, TREND)).toEqual({
    window: { trend: { series: [...['B', 'a', 'b', 'c', 'd'].map(line), line('Other')] } },
  });
  await world.close();
});
