/**
 * The costs by model of an end user with many events come from sums by day, while the sums are being built, after
 * later facts and corrections, and after the end user was erased. Expected figures are added up fact by fact.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { query } from '#platform/database/sql.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import { LARGE_END_USER_EVENTS } from '../../../../subgraphs/attribution/config.ts';
import { sumNextLargeEndUser } from '../../../../subgraphs/attribution/rollups/upkeep/sum-large-end-user.step.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { costOf, figuresOf, groups, within } from '../plain-model.ts';

const COSTS = `query ($externalId: String!, $start: Instant!, $end: Instant!) {
  endUser(externalId: $externalId) { costsByModel(start: $start, end: $end) { items {
    modelSlug totalCost inputCost outputCost cacheCreationCost cacheReadCost reasoningCost inputTokens outputTokens
    cacheCreationInputTokens cacheReadInputTokens reasoningTokens eventCount percentOfTotal } } } }`;
const WINDOWS = [
  { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' },
  { start: '2026-03-02T07:00:00Z', end: '2026-03-20T18:30:00Z' },
  { start: '2026-03-05T00:00:00Z', end: '2026-03-06T00:00:00Z' },
  { start: '2026-03-05T09:00:00Z', end: '2026-03-05T12:00:00.000001Z' },
  // No fact follows the end of the window on its last day.
  { start: '2026-02-01T00:00:00Z', end: '2026-03-25T23:30:00Z' },
  { start: '2026-03-25T00:00:00Z', end: '2026-03-25T23:30:00Z' },
];

let world: Attribution;
const organizationId = randomUUID();
let facts: CostFact[];

beforeEach(async () => {
  world = await startAttribution();
  facts = [];
});
afterEach(() => world.close());

/** One in four has cached tokens; costs and times differ from fact to fact. */
function factOf(index: number, days = 25): CostFact {
  const day = String(1 + (index % days)).padStart(2, '0');
  const hour = String(index % 23).padStart(2, '0');
  return aFact({
    // Some facts are exactly at midnight.
    eventTime: `2026-03-${day}T${hour}:00:00.${String(hour === '00' ? 0 : index).padStart(6, '0')}Z`,
    endUserExternalId: 'ada',
    modelSlug: ['gpt-5', 'gpt-5-mini', 'o4'][index % 3]!,
    inputTokens: index,
    totalCost: `0.${String(index + 1).padStart(9, '0')}`,
    ...(index % 4 === 0 && { cacheReadInputTokens: index % 7, cacheReadCost: '0.000000001' }),
  });
}

async function publish(...some: CostFact[]): Promise<void> {
  world.feed.publish(organizationId, some);
  facts.push(...some);
  await world.follow();
}

async function publishMany(count: number, days?: number): Promise<void> {
  for (let from = 0; from < count; from += 500)
    await publish(...Array.from({ length: Math.min(500, count - from) }, (_, index) => factOf(from + index, days)));
}

async function expectExact(externalId = 'ada'): Promise<void> {
  for (const window of WINDOWS) {
    const own = within(facts, window).filter((fact) => fact.endUserExternalId === externalId);
    const expected = groups(own, ({ modelSlug }) => modelSlug).map((group) => ({
      modelSlug: group.name,
      ...figuresOf(group.facts, costOf(own)),
    }));
    const answer = await world.ask<{ endUser: { costsByModel: { items: object[] } } }>(organizationId, COSTS, {
      externalId,
      ...window,
    });
    expect(answer.endUser.costsByModel.items, `${window.start} to ${window.end}`).toEqual(
      expected.map((row) => expect.objectContaining(row)),
    );
  }
}

const rows = <Row>(text: string, ...values: unknown[]) =>
  world.database.system((tx) => query<Row>(tx, text, [organizationId, ...values]));
const summedFrom = async () =>
  (
    await rows<{ day: string }>(
      'select summed_from::text as day from large_end_user where organization_id = $1 and end_user_id = $2',
      endUserId(organizationId, 'ada'),
    )
  )[0]?.day;

async function expectVerified(): Promise<void> {
  const { verifyAttribution } = await world.ask<{ verifyAttribution: { differences: string[] }[] }>(
    organizationId,
    '{ verifyAttribution { differences } }',
  );
  expect(verifyAttribution.flatMap(({ differences }) => differences)).toEqual([]);
}

describe('an end user with many events in a month', () => {
  it('has sums by day, which later facts and corrections are added to', async () => {
    await publishMany(LARGE_END_USER_EVENTS - 1);
    await world.settle();
    expect(await summedFrom()).toBeUndefined();
    await publishMany(1);
    expect(await summedFrom()).toBe('infinity');
    await expectExact();
    await world.settle();
    expect(await summedFrom()).toBe('-infinity');
    await expectExact();

    await publish(factOf(4_001), { ...facts[7]!, sequence: 1, totalCost: '-0.000000003', inputTokens: 0 });
    await publish(aFact({ endUserExternalId: 'bob' }), aFact());
    await expectExact();
    await expectExact('bob');
    await expectVerified();
  });

  it('has exact costs while its days are being summed', async () => {
    await publishMany(LARGE_END_USER_EVENTS, 12);
    for (const day of ['2026-03-10', '2026-03-07']) {
      expect(await sumNextLargeEndUser(world.database, 600)).toBe(true);
      expect(await summedFrom()).toBe(day);
      // One fact on a day that is summed, and one on a day that is not.
      await publish(factOf(11, 12), factOf(2, 12));
      await expectExact();
      await expectVerified();
    }
    await world.settle();
    await expectExact();
    await expectVerified();
  });

  it('is read from the sums', async () => {
    await publishMany(LARGE_END_USER_EVENTS);
    await world.settle();
    await rows('delete from cost_fact where organization_id = $1');
    const { endUser } = await world.ask<{ endUser: { costsByModel: { items: { eventCount: number }[] } } }>(
      organizationId,
      COSTS,
      { externalId: 'ada', ...WINDOWS[4] },
    );
    expect(endUser.costsByModel.items.reduce((sum, { eventCount }) => sum + eventCount, 0)).toBe(LARGE_END_USER_EVENTS);
  });

  it('has exact sums after a fact was corrected by a comparison with the ledger', async () => {
    await publishMany(LARGE_END_USER_EVENTS);
    await world.settle();
    await rows(
      `update cost_fact set total_cost = total_cost + 1
       where organization_id = $1 and event_time >= '2026-03-05' and event_time < '2026-03-05T12:00:00Z'`,
    );
    await world.ask(
      organizationId,
      'mutation { rebuildStart(input: { start: "2026-03-05", end: "2026-03-06" }) { userErrors { message } } }',
    );
    await world.settle();
    await expectExact();
    await expectVerified();
  });

  it('loses its sums when its events change owner', async () => {
    await publishMany(LARGE_END_USER_EVENTS);
    await world.settle();
    const replaces = endUserId(organizationId, 'ada');
    const taken = facts
      .slice(0, 10)
      .map((fact) => ({ ...fact, endUserExternalId: 'erased-1', isReduced: true as const }));
    world.feed.publish(organizationId, taken, [
      { externalId: 'erased-1', firstSeenAt: '2026-03-01T00:00:00.000000Z', replaces },
    ]);
    await world.follow();
    facts.splice(0, 10, ...taken);
    expect(await rows('select 1 from end_user_model_day where organization_id = $1')).toEqual([]);
    await expectExact();
    await expectExact('erased-1');
    await expectVerified();
  });

  it('loses its sums when it gets events of another end user', async () => {
    const bob = aFact({ eventTime: '2026-03-05T09:30:00.000000Z', endUserExternalId: 'bob', totalCost: '3' });
    await publishMany(LARGE_END_USER_EVENTS);
    await publish(bob);
    await world.settle();
    const taken = { ...bob, endUserExternalId: 'ada', isReduced: true as const };
    world.feed.publish(organizationId, [taken]);
    await world.follow();
    facts.splice(facts.indexOf(bob), 1, taken);
    await expectExact();
    await expectVerified();
  });
});

it('verification finds a wrong sum of a large end user', async () => {
  await publishMany(LARGE_END_USER_EVENTS);
  await world.settle();
  await rows(
    "update end_user_model_day set total_cost = total_cost + 1 where organization_id = $1 and model_slug = 'o4' and bucket = '2026-03-03'",
  );
  const { verifyAttribution } = await world.ask<{ verifyAttribution: { check: string; differences: string[] }[] }>(
    organizationId,
    '{ verifyAttribution { check differences } }',
  );
  expect(verifyAttribution.filter(({ differences }) => differences.length > 0).map(({ check }) => check)).toEqual([
    "large end users' days by model = facts",
  ]);
});
