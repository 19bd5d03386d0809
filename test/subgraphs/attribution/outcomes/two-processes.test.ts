/** Two processes record the same outcomes, follow the same feed and reduce the same events at once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordOutcomes } from '../../../../subgraphs/attribution/outcomes/record-outcomes.operation.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';

let one: Attribution;
let other: Attribution;
beforeAll(async () => {
  one = await startAttribution();
  other = await startAttribution(one);
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const at = (minute: number) => new Date(Date.UTC(2026, 2, 10) + minute * 60_000).toISOString();
const FIGURES = `{ window(start: "2026-03-10", end: "2026-03-11") { costs { totalCost } outcomes(groupBy: NAME) {
  nodes { value figures { count succeeded cost failedCost eventCount costPerSuccess value } } costWithoutOutcome } } }`;

const TASKS = 12;

it('every figure is exact, and nothing is counted twice', async () => {
  const organizationId = randomUUID();
  // Each task has a failed attempt of two events and a completed one of one event, at $0.01 each. One event comes after.
  const facts = Array.from({ length: TASKS }, (_, task) =>
    [0, 1, 2, 3].map((step) =>
      aFact({
        totalCost: '0.01',
        eventTime: at(10 * task + step),
        sessionId: `s-${task}`,
        dimensions: { task_id: `t-${task}` },
      }),
    ),
  );
  const outcomes = Array.from({ length: TASKS }, (_, task) => {
    const attempt = (key: string, minute: number, succeeded: boolean, stated: number) => ({
      key: `${key}-${task}`,
      name: 'ticket_resolved',
      task_id: `t-${task}`,
      at: at(10 * task + minute),
      succeeded,
      ...(succeeded ? { value: '0.5' } : {}),
      stated_at: at(stated),
    });
    // The first statement about the second attempt is wrong, and is corrected.
    return [attempt('first', 1, false, 1), attempt('second', 2, false, 2), attempt('second', 2, true, 3)];
  });
  const record = async (process: Attribution, batches: typeof outcomes) => {
    for (const batch of batches) await recordOutcomes(process.context(organizationId), batch);
  };
  const figures = {
    window: {
      costs: { totalCost: '0.48' },
      outcomes: {
        nodes: [
          {
            value: 'ticket_resolved',
            figures: {
              count: 24,
              succeeded: 12,
              cost: '0.36',
              failedCost: '0.24',
              eventCount: 36,
              costPerSuccess: '0.03',
              value: '6',
            },
          },
        ],
        costWithoutOutcome: '0.12',
      },
    },
  };
  for (const fact of facts) one.feed.publish(organizationId, fact);
  await Promise.all([
    one.follow(),
    other.follow(),
    record(one, outcomes),
    record(
      other,
      outcomes.toReversed().map((batch) => batch.toReversed()),
    ),
  ]);
  for (const process of [one, other]) expect(await process.ask(organizationId, FIGURES)).toEqual(figures);
  // The metadata of all events is dropped while both processes receive everything again.
  for (const fact of facts)
    one.feed.publish(
      organizationId,
      fact.map((event) => ({ ...event, dimensions: {}, isReduced: true as const })),
    );
  await Promise.all([one.follow(), other.follow(), record(one, outcomes), record(other, outcomes)]);
  for (const process of [one, other]) expect(await process.ask(organizationId, FIGURES)).toEqual(figures);
  const { verifyAttribution } = await one.ask<{ verifyAttribution: { check: string; differences: string[] }[] }>(
    organizationId,
    '{ verifyAttribution(part: REST) { check differences } }',
  );
  expect(verifyAttribution.filter(({ differences }) => differences.length > 0)).toEqual([]);
});
