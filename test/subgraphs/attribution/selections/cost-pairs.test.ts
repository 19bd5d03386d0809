/** A rolled-up pair of keys gives the same results as the facts, in windows of any size, at every moment. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { query } from '#platform/database/sql.ts';
import { SELECTED_FACTS_MAX } from '../../../../subgraphs/attribution/config.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { history, window } from '../history.ts';
import * as model from '../plain-model.ts';

const COSTS = `query ($start: Instant!, $end: Instant!, $filter: CostFilter, $groupBy: [CostKey!]!, $dimensions: [String!]!) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: $groupBy, groupByDimensions: $dimensions, first: 1000) { totalCost nodes { values { key value } totalCost eventCount } }
  }
}`;
const PAIRS = '{ costPairs { keys state } }';
const register = (...keys: string[]) =>
  `mutation { costPairRegister(input: { keys: ${JSON.stringify(keys)} }) { costPair { keys state } userErrors { message code } } }`;

interface Answer {
  readonly window: {
    readonly costs: {
      totalCost: string;
      nodes: { values: { value: string }[]; totalCost: string; eventCount: number }[];
    };
  };
}

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

describe('a registered pair', () => {
  it('equals the sum over the facts during its backfill and afterwards, and is verified like any key', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(window, { minLength: 4, maxLength: 4 }),
        async ({ facts, batches }, windows) => {
          const organizationId = randomUUID();
          await world.ask(
            organizationId,
            'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
          );
          const half = Math.floor(batches.length / 2);
          for (const batch of batches.slice(0, half)) world.feed.publish(organizationId, batch);
          await world.settle();
          await world.ask(organizationId, register('model', 'agent_id'));
          await world.ask(organizationId, register('team', 'feature'));
          for (const batch of batches.slice(half)) world.feed.publish(organizationId, batch);
          await world.follow();
          for (const isReady of [false, true]) {
            if (isReady) await world.settle();
            for (const requested of windows) {
              const selected = model.within(facts, requested);
              const byModel = await world.ask<Answer>(organizationId, COSTS, {
                ...requested,
                groupBy: ['AGENT', 'MODEL'],
                dimensions: [],
              });
              expect(nodesOf(byModel)).toEqual(
                groupsOf(selected, (fact) => [model.valueOf(fact, 'agent_id'), fact.modelSlug]),
              );
              const byTeam = await world.ask<Answer>(organizationId, COSTS, {
                ...requested,
                filter: { dimensions: [{ key: 'feature', value: 'Unassigned' }] },
                groupBy: [],
                dimensions: ['team'],
              });
              expect(nodesOf(byTeam)).toEqual(
                groupsOf(
                  selected.filter((fact) => model.valueOf(fact, 'feature') === 'Unassigned'),
                  (fact) => [model.valueOf(fact, 'team')],
                ),
              );
            }
          }
          expect(await world.ask(organizationId, PAIRS)).toEqual({
            costPairs: [
              { keys: ['agent_id', 'model'], state: 'READY' },
              { keys: ['feature', 'team'], state: 'READY' },
            ],
          });
          const { verifyAttribution } = await world.ask<{ verifyAttribution: { differences: string[] }[] }>(
            organizationId,
            '{ verifyAttribution { differences } }',
          );
          expect(verifyAttribution.flatMap(({ differences }) => differences)).toEqual([]);
        },
      ),
      { numRuns: 6 },
    );
  });

  it('finds a value whatever its text is, and no other value that begins like it', async () => {
    const organizationId = randomUUID();
    const values = ['a', 'ab', 'a"', 'a", "b', 'a\\', 'a\n\u0001\u007f', 'a%_', 'ä\u2028', 'a😀', '😀', 'Unassigned'];
    world.feed.publish(
      organizationId,
      values.map((value, index) => aFact({ dimensions: { agent_id: value }, totalCost: String(index + 1) })),
    );
    await world.ask(organizationId, register('agent_id', 'model'));
    await world.settle();
    const costs = values.map(async (value) => {
      const variables = { start: '2026-03-01', end: '2026-04-01', dimensions: [], groupBy: ['MODEL'] };
      const answer = await world.ask<Answer>(organizationId, COSTS, { ...variables, filter: { agent: value } });
      return answer.window.costs.totalCost;
    });
    expect(await Promise.all(costs)).toEqual(values.map((_value, index) => String(index + 1)));
  });

  it('serves windows that have too many events to be read from facts, and is the only way to read them', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [
      aFact({ dimensions: { agent_id: 'a1' }, endUserExternalId: 'ann' }),
      aFact({ dimensions: { agent_id: 'a2' }, totalCost: '1' }),
    ]);
    await world.settle();
    // Sets event counts that would take hours to send; the rollups cannot tell the difference.
    await world.database.write(organizationId, (tx) =>
      query(tx, "update rollup_day set event_count = $2 where organization_id = $1 and dimension_key = ''", [
        organizationId,
        SELECTED_FACTS_MAX + 1,
      ]),
    );
    const ask = (more: object) =>
      world.ask<Answer>(organizationId, COSTS, { start: '2026-03-01', end: '2026-04-01', dimensions: [], ...more });
    const refusal = {
      code: 'UNPROCESSABLE_ENTITY',
      message: expect.stringMatching(/agent_id and model .* 2000001 .* 2000000/),
    };
    await expect(ask({ groupBy: ['AGENT', 'MODEL'] })).rejects.toMatchObject(refusal);
    expect((await ask({ groupBy: ['AGENT'] })).window.costs.totalCost).toBe('1.5');
    // For an end user, only its own events count.
    expect((await ask({ groupBy: ['AGENT', 'MODEL'], filter: { endUser: 'ann' } })).window.costs.totalCost).toBe('0.5');
    await world.ask(organizationId, register('agent_id', 'model'));
    await world.settle();
    expect((await ask({ groupBy: ['AGENT', 'MODEL'] })).window.costs.totalCost).toBe('1.5');
    await world.ask(
      organizationId,
      'mutation { costPairRetire(input: { keys: ["model", "agent_id"] }) { costPair { state } userErrors { message } } }',
    );
    await expect(ask({ groupBy: ['AGENT', 'MODEL'] })).rejects.toMatchObject(refusal);
    expect(await world.ask(organizationId, PAIRS)).toEqual({ costPairs: [] });
  });

  it('is one of at most ten, even if many are registered at once', async () => {
    const organizationId = randomUUID();
    const keys = Array.from({ length: 6 }, (_, index) => `key-${index}`);
    for (const key of keys)
      await world.ask(
        organizationId,
        `mutation { dimensionRegister(input: { key: "${key}" }) { userErrors { message } } }`,
      );
    const pairs = keys.flatMap((key, index) => keys.slice(index + 1).map((other) => [key, other] as const));
    await Promise.allSettled(pairs.map((pair) => world.ask(organizationId, register(...pair))));
    expect((await world.ask<{ costPairs: object[] }>(organizationId, PAIRS)).costPairs).toHaveLength(10);
  });

  it('is retired with its dimension, and is refused if invalid', async () => {
    const organizationId = randomUUID();
    world.feed.publish(organizationId, [aFact({ dimensions: { team: 'red' } })]);
    await world.settle();
    const refused = async (keys: string[]) =>
      (await world.ask<Record<string, { userErrors: object[] }>>(organizationId, register(...keys))).costPairRegister
        ?.userErrors[0];
    expect(await refused(['team', 'model'])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused(['model', 'model'])).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused(['model'])).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused(['model', 'provider'])).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(
      await world.ask(
        organizationId,
        'mutation { costPairRetire(input: { keys: ["feature", "model"] }) { userErrors { code } } }',
      ),
    ).toEqual({ costPairRetire: { userErrors: [{ code: 'NOT_FOUND' }] } });
    await world.ask(
      organizationId,
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    await world.ask(organizationId, register('team', 'model'));
    for (const key of ['feature', 'workflow_id', 'experiment_id', 'variant', 'session_type', 'agent_id'])
      await world.ask(organizationId, register(key, 'model'));
    for (const key of ['workflow_id', 'experiment_id', 'variant'])
      await world.ask(organizationId, register(key, 'feature'));
    expect(await refused(['agent_id', 'feature'])).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/10 pairs/),
    });
    await world.ask(organizationId, register('model', 'team'));
    await world.ask(
      organizationId,
      'mutation { dimensionRetire(input: { key: "team" }) { dimension { key } userErrors { message } } }',
    );
    const { costPairs } = await world.ask<{ costPairs: { keys: string[] }[] }>(organizationId, PAIRS);
    expect(costPairs.map(({ keys }) => keys.join()).filter((keys) => keys.includes('team'))).toEqual([]);
    expect(costPairs).toHaveLength(9);
  });
});

function nodesOf({ window: { costs } }: Answer): Map<string, unknown> {
  return new Map(
    costs.nodes.map(({ values, totalCost, eventCount }) => [
      JSON.stringify(values.map(({ value }) => value)),
      [totalCost, eventCount],
    ]),
  );
}

function groupsOf(
  facts: Parameters<typeof model.groups>[0],
  valuesOf: (fact: (typeof facts)[number]) => readonly string[],
): Map<string, unknown> {
  return new Map(
    model
      .groups(facts, (fact) => JSON.stringify(valuesOf(fact)))
      .map(({ name, facts: members }) => [
        name,
        [plain(model.costOf(members)), members.filter(({ sequence }) => sequence === 0).length],
      ]),
  );
}
