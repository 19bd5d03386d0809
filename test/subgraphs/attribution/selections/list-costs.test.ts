import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { money, plain, sum } from '#kernel/money.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import { aFact } from '../a-fact.ts';
import { type Attribution, startAttribution } from '../attribution-builder.ts';
import { history, window } from '../history.ts';
import * as model from '../plain-model.ts';

const VALUE = 'values { key value endUser { externalId } }';
const COSTS = `query ($start: Instant!, $end: Instant!, $filter: CostFilter, $groupBy: [CostKey!]!, $dimensions: [String!]!, $first: Int!, $after: String, $withTokens: Boolean! = false) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: $groupBy, groupByDimensions: $dimensions, first: $first, after: $after) {
      nodes { ${VALUE} totalCost eventCount percentOfTotal ...Tokens @include(if: $withTokens) } edges { cursor } totalCost totalCount eventCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
}
fragment Tokens on CostGroup { tokens { input output cacheCreation cacheRead reasoning } }`;
const TREND = `query ($start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $byDimension: String, $granularity: Granularity!, $series: Int!) {
  window(start: $start, end: $end) {
    costTrend(filter: $filter, by: $by, byDimension: $byDimension, granularity: $granularity, series: $series) {
      granularity series { isRest value { key value endUser { externalId } } points { start cost eventCount } }
    }
  }
}`;

interface CostsAnswer {
  readonly nodes: {
    values: { key: string; value: string }[];
    totalCost: string;
    eventCount: number;
    tokens?: object;
  }[];
  readonly edges: { cursor: string }[];
  readonly totalCost: string;
  readonly totalCount: number;
  readonly eventCount: number;
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
}
interface TrendAnswer {
  readonly series: {
    isRest: boolean;
    value: { value: string } | null;
    points: { start: string; cost: string; eventCount: number }[];
  }[];
}

let world: Attribution;
beforeAll(async () => {
  world = await startAttribution();
});
afterAll(() => world.close());

const KEYS = {
  END_USER: ({ endUserExternalId }: CostFact) => endUserExternalId ?? 'Unassigned',
  AGENT: (fact: CostFact) => model.valueOf(fact, 'agent_id'),
  MODEL: ({ modelSlug }: CostFact) => modelSlug,
  PROVIDER: ({ providerSlug }: CostFact) => providerSlug,
  FEATURE: (fact: CostFact) => model.valueOf(fact, 'feature'),
  SESSION_TYPE: (fact: CostFact) => model.valueOf(fact, 'session_type'),
  SESSION: ({ sessionId }: CostFact) => sessionId ?? 'Unassigned',
} as const;
type Key = keyof typeof KEYS;
const team = (fact: CostFact) => model.valueOf(fact, 'team');

/** Named by their UUIDs; the second one is the nil UUID. */
const [BOB_BY_ID, NO_ONE] = ['bob by id', 'no one'];

/** Values of a key, for `in` and `not`. */
const valuesOf = (key: Key | 'team', ...values: string[]) =>
  fc.record({ key: fc.constant(key), values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }) });
const lists = fc.oneof(
  valuesOf('END_USER', 'ann', 'bob', 'Unassigned'),
  valuesOf('AGENT', 'a1', 'a2', 'Unassigned'),
  valuesOf('MODEL', 'gpt-5', 'claude'),
  valuesOf('PROVIDER', 'openai', 'unknown'),
  valuesOf('SESSION', 's1', 'Unassigned'),
  valuesOf('team', 'red', 'Unassigned'),
);
type List = typeof lists extends fc.Arbitrary<infer Value> ? Value : never;
const keyOfList = ({ key }: List) => key;
const toListInput = ({ key, values }: List) => (key === 'team' ? { dimension: key, values } : { key, values });
const isIn = (fact: CostFact, { key, values }: List) => values.includes(key === 'team' ? team(fact) : KEYS[key](fact));

const filters = fc.record(
  {
    endUser: fc.constantFrom('ann', 'bob', BOB_BY_ID, NO_ONE),
    agent: fc.constantFrom('a1', 'a2', 'Unassigned'),
    model: fc.constantFrom('gpt-5', 'claude'),
    provider: fc.constantFrom('openai', 'unknown'),
    team: fc.constantFrom('red', 'Unassigned'),
    in: fc.uniqueArray(lists, { maxLength: 2, selector: keyOfList }),
    not: fc.uniqueArray(lists, { maxLength: 2, selector: keyOfList }),
  },
  { requiredKeys: [] },
);
type Filter = typeof filters extends fc.Arbitrary<infer Value> ? Value : never;

const toEndUser = (organizationId: string, endUser: string) => {
  if (endUser === NO_ONE) return { endUserId: '00000000-0000-0000-0000-000000000000' };
  return endUser === BOB_BY_ID ? { endUserId: endUserId(organizationId, 'bob') } : { endUser };
};
const toInput = (organizationId: string, { team: value, endUser, in: kept, not: leftOut, ...named }: Filter) => ({
  ...named,
  ...(kept === undefined ? {} : { in: kept.map(toListInput) }),
  ...(leftOut === undefined ? {} : { not: leftOut.map(toListInput) }),
  ...(endUser === undefined ? {} : toEndUser(organizationId, endUser)),
  ...(value === undefined ? {} : { dimensions: [{ key: 'team', value }] }),
});
const matches = (fact: CostFact, filter: Filter): boolean =>
  (filter.endUser === undefined || (fact.endUserExternalId ?? NO_ONE) === filter.endUser.replace(BOB_BY_ID, 'bob')) &&
  (filter.agent === undefined || KEYS.AGENT(fact) === filter.agent) &&
  (filter.model === undefined || fact.modelSlug === filter.model) &&
  (filter.provider === undefined || fact.providerSlug === filter.provider) &&
  (filter.team === undefined || team(fact) === filter.team) &&
  (filter.in ?? []).every((list) => isIn(fact, list)) &&
  !(filter.not ?? []).some((list) => isIn(fact, list));

const groupings = fc.record({
  groupBy: fc.uniqueArray(fc.constantFrom(...(Object.keys(KEYS) as Key[])), { maxLength: 2 }),
  byTeam: fc.boolean(),
  withTokens: fc.boolean(),
});

/** Facts that precede every window and name every requested end user and value, so that none is unknown. */
const known = (['ann', 'bob'] as const).flatMap((endUserExternalId) =>
  ['gpt-5', 'claude'].flatMap((modelSlug) =>
    ['openai', 'unknown'].map((providerSlug) =>
      aFact({
        endUserExternalId,
        modelSlug,
        providerSlug,
        eventTime: '2020-01-01T00:00:00.000Z',
        dimensions: { agent_id: modelSlug === 'claude' ? 'a1' : 'a2', team: 'red' },
      }),
    ),
  ),
);

async function publish(facts: readonly CostFact[][]): Promise<string> {
  const organizationId = randomUUID();
  await world.ask(
    organizationId,
    'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
  );
  for (const batch of facts) world.feed.publish(organizationId, batch);
  await world.settle();
  return organizationId;
}

describe('costs and cost trends', () => {
  it('equal the sums over the facts, whatever the filter, the groups and the window', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(
          fc.tuple(window, filters, groupings, fc.constantFrom('DAY', 'WEEK', 'MONTH'), fc.integer({ min: 1, max: 3 })),
          {
            minLength: 12,
            maxLength: 12,
          },
        ),
        async ({ facts, batches }, requests) => {
          const organizationId = await publish([known, ...batches.map((batch) => [...batch])]);
          for (const [requested, filter, { groupBy, byTeam, withTokens }, granularity, series] of requests) {
            const keys = byTeam ? groupBy.slice(0, 1) : groupBy;
            const selected = model.within(facts, requested).filter((fact) => matches(fact, filter));
            const named = [...keys.map((key) => KEYS[key]), ...(byTeam ? [team] : [])];
            const groups = model.groups(selected, (fact) => JSON.stringify(named.map((name) => name(fact))));
            const { window: answer } = await world.ask<{ window: { costs: CostsAnswer } }>(organizationId, COSTS, {
              ...requested,
              filter: toInput(organizationId, filter),
              groupBy: keys,
              dimensions: byTeam ? ['team'] : [],
              first: 1000,
              withTokens,
            });
            const { nodes, ...sums } = answer.costs;
            expect(sums).toMatchObject({
              totalCost: plain(model.costOf(selected)),
              eventCount: selected.filter(({ sequence }) => sequence === 0).length,
              totalCount: groups.length,
              pageInfo: { hasNextPage: false, hasPreviousPage: false },
            });
            expect(byValues(nodes)).toEqual(
              new Map(
                groups.map(({ name, facts: members }) => [
                  name,
                  [
                    plain(model.costOf(members)),
                    members.filter(({ sequence }) => sequence === 0).length,
                    withTokens ? tokensOf(members) : undefined,
                  ],
                ]),
              ),
            );
            expect(nodes.map(({ totalCost }) => totalCost)).toEqual(
              groups.map(({ facts: some }) => plain(model.costOf(some))),
            );

            const [first] = keys;
            const { window: trended } = await world.ask<{ window: { costTrend: TrendAnswer } }>(organizationId, TREND, {
              ...requested,
              filter: toInput(organizationId, filter),
              ...(byTeam ? { byDimension: 'team' } : first ? { by: first } : {}),
              granularity,
              series,
            });
            const trendKey = byTeam ? team : first ? KEYS[first] : () => 'total';
            const top = model.groups(selected, trendKey).map(({ facts: some }) => plain(model.costOf(some)));
            const lines = trended.costTrend.series;
            expect(lines.filter(({ isRest }) => !isRest).map(costOfLine)).toEqual(
              byTeam || first ? top.slice(0, series) : [plain(model.costOf(selected))],
            );
            const all = sum(lines.map((line) => money(costOfLine(line))));
            expect(plain(all)).toBe(plain(model.costOf(selected)));
            const shown = lines.flatMap(({ value }) => value?.value ?? []);
            for (const { value, isRest, points } of lines) {
              if (!(byTeam || first)) continue;
              const ofValue = selected.filter((fact) =>
                isRest ? !shown.includes(trendKey(fact)) : trendKey(fact) === value?.value,
              );
              for (const { start, cost, eventCount } of points) {
                const inBucket = ofValue.filter(({ eventTime }) => bucketOf(eventTime, granularity) === start);
                expect([cost, eventCount]).toEqual([
                  plain(model.costOf(inBucket)),
                  inBucket.filter(({ sequence }) => sequence === 0).length,
                ]);
              }
            }
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  it('contain groups that have corrections only', async () => {
    const organizationId = randomUUID();
    const first = aFact({ eventTime: '2026-03-10T10:00:00.000Z', totalCost: '1', modelSlug: 'gpt-5' });
    const correction = {
      ...aFact({ ...first, totalCost: '-0.25', modelSlug: 'gpt-5-mini' }),
      eventId: first.eventId,
      sequence: 1,
    };
    world.feed.publish(organizationId, [first, { ...correction, inputTokens: 0, outputTokens: 0, charges: [] }]);
    await world.settle();
    const variables = {
      start: '2026-03-10T00:00:00Z',
      end: '2026-03-11T00:00:00Z',
      groupBy: ['MODEL'],
      dimensions: [],
      first: 10,
    };
    const { window: found } = await world.ask<{ window: { costs: CostsAnswer } }>(organizationId, COSTS, variables);
    expect(
      found.costs.nodes.map(({ values, totalCost, eventCount }) => [values[0]!.value, totalCost, eventCount]),
    ).toEqual([
      ['gpt-5', '1', 1],
      ['gpt-5-mini', '-0.25', 0],
    ]);
  });

  it('refuse lists that name no key, too many values or a key twice, and unknown values', async () => {
    const organizationId = await publish([known]);
    const ask = (filter: object) => {
      const range = { start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' };
      const variables = { ...range, filter, groupBy: ['MODEL'], dimensions: [], first: 10 };
      return world.ask(organizationId, COSTS, variables).then(
        () => null,
        ({ message }: Error) => message,
      );
    };
    expect(await ask({ in: [{ key: 'MODEL', values: ['gpt-5'] }], not: [{ key: 'MODEL', values: ['claude'] }] })).toBe(
      null,
    );
    const hundredOne = Array.from({ length: 101 }, (_, index) => `m${index}`);
    for (const [filter, message] of [
      [{ in: [{ values: ['a'] }] }, 'Each item of in needs either a key or a dimension'],
      [{ not: [{ key: 'MODEL', dimension: 'team', values: ['a'] }] }, 'Each item of not needs either a key'],
      [{ in: [{ key: 'MODEL', values: [] }] }, 'values of in must have 1 to 100 items'],
      [{ in: [{ key: 'MODEL', values: hundredOne }] }, 'values of in must have 1 to 100 items'],
      [
        { not: ['MODEL', 'MODEL'].map((key) => ({ key, values: ['a'] })) },
        'model appears twice in not of the cost filter',
      ],
      [{ in: [{ dimension: 'model', values: ['a'] }] }, 'model is not a dimension'],
      [{ in: [{ dimension: 'nobody', values: ['a'] }] }, 'Dimension "nobody" is not registered'],
      [{ in: [{ key: 'END_USER', values: ['ann', 'zoe'] }] }, 'No priced event has the end user "zoe"'],
      [{ not: [{ key: 'END_USER', values: ['zoe'] }] }, 'No priced event has the end user "zoe"'],
      [{ in: [{ key: 'MODEL', values: ['gpt-9'] }] }, 'No priced event has the model "gpt-9"'],
      [{ in: Array.from({ length: 6 }, () => ({ key: 'MODEL', values: ['a'] })) }, 'at most 5 keys'],
    ] as const)
      expect(await ask(filter)).toContain(message);
  });

  it('add up hours, of the total, of a value and of an end user', async () => {
    const facts = [
      '2026-03-10T10:30:00.000Z',
      '2026-03-10T10:59:59.999Z',
      '2026-03-10T11:00:00.000Z',
      '2026-03-11T23:00:00.000Z',
    ].map((eventTime, index) =>
      aFact({
        eventTime,
        totalCost: `0.${index + 1}`,
        endUserExternalId: 'ann',
        dimensions: { agent_id: `a${index % 2}` },
      }),
    );
    const organizationId = await publish([facts]);
    const hours = async (more: object) => {
      const { window: answer } = await world.ask<{ window: { costTrend: TrendAnswer } }>(organizationId, TREND, {
        start: '2026-03-10T10:30:00Z',
        end: '2026-03-12',
        granularity: 'HOUR',
        series: 5,
        ...more,
      });
      return answer.costTrend.series.map(({ points }) =>
        points.filter(({ cost }) => cost !== '0').map(({ start, cost }) => [start.slice(5, 13), cost]),
      );
    };
    const all = [
      ['03-10T10', '0.3'],
      ['03-10T11', '0.3'],
      ['03-11T23', '0.4'],
    ];
    expect(await hours({})).toEqual([all]);
    expect(await hours({ filter: { endUser: 'ann' } })).toEqual([all]);
    expect(await hours({ by: 'END_USER' })).toEqual([all]);
    expect(await hours({ by: 'AGENT' })).toEqual([
      [
        ['03-10T10', '0.2'],
        ['03-11T23', '0.4'],
      ],
      [
        ['03-10T10', '0.1'],
        ['03-10T11', '0.3'],
      ],
    ]);
  });

  it('count tokens in whatever form the document selects them, for an end user too', async () => {
    const tokens = { inputTokens: 7, cacheReadInputTokens: 5 };
    const organizationId = await publish([
      [aFact({ endUserExternalId: 'ann', ...tokens }), aFact({ endUserExternalId: 'ann', ...tokens, inputTokens: 1 })],
    ]);
    const { window: inMarch, endUser } = await world.ask<Record<string, unknown>>(
      organizationId,
      `fragment Edges on CostConnection { edges { ... on CostEdge { group: node { counts: tokens { input output cacheRead reasoning } } } } }
      { window(start: "2026-03-01", end: "2026-04-01") { costs(groupBy: [END_USER]) { ...Edges } }
        endUser(externalId: "ann") { costs(start: "2026-03-01", end: "2026-04-01", groupBy: [MODEL]) { ...Edges } } }`,
    );
    const counts = { input: 8, output: 20, cacheRead: 10, reasoning: null };
    const costs = { edges: [{ group: { counts } }] };
    expect([inMarch, endUser]).toEqual([{ costs }, { costs }]);
  });

  it('are returned a page at a time, each group once, with a cursor to continue', async () => {
    const organizationId = await publish([
      Array.from({ length: 7 }, (_, index) =>
        aFact({ totalCost: `0.${index + 1}`, endUserExternalId: `u${index}`, dimensions: { agent_id: `a${index}` } }),
      ),
    ]);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const answer: { window: { costs: CostsAnswer } } = await world.ask(organizationId, COSTS, {
        start: '2026-03-01',
        end: '2026-04-01',
        groupBy: ['AGENT', 'END_USER'],
        dimensions: [],
        first: 3,
        after,
      });
      const { nodes, pageInfo, totalCount }: CostsAnswer = answer.window.costs;
      expect(totalCount).toBe(7);
      seen.push(...nodes.map(({ values }) => values.map(({ value }) => value).join()));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, index) => `a${6 - index},u${6 - index}`));
  });

  describe('a missing object', () => {
    let organizationId: string;
    beforeAll(async () => {
      organizationId = await publish([
        [aFact({ endUserExternalId: 'ann', dimensions: { agent_id: 'a1', loose: 'x' } })],
      ]);
    });
    const request = (more: object) =>
      world.ask(organizationId, COSTS, {
        start: '2026-03-01',
        end: '2026-04-01',
        groupBy: [],
        dimensions: [],
        first: 10,
        ...more,
      });

    it.each([
      ['an end user that no event has named', { filter: { endUser: 'nobody' } }, 'NOT_FOUND', /end user "nobody"/],
      ['an unknown end user', { filter: { endUserId: randomUUID() } }, 'NOT_FOUND', /id/],
      ['a malformed id', { filter: { endUserId: 'ann' } }, 'VALIDATION_ERROR', /UUID/],
      ['an end user twice', { filter: { endUser: 'ann', endUserId: randomUUID() } }, 'VALIDATION_ERROR', /only once/],
      ['an agent', { filter: { agent: 'a9' } }, 'NOT_FOUND', /agent_id "a9"/],
      ['a model', { filter: { model: 'gpt-nothing' } }, 'NOT_FOUND', /model "gpt-nothing"/],
      ['a provider', { filter: { provider: 'nobody' } }, 'NOT_FOUND', /provider "nobody"/],
      ['a dimension', { dimensions: ['user_id'] }, 'NOT_FOUND', /"user_id" is not registered/],
      [
        'a key that events have and no one registered',
        { dimensions: ['loose'] },
        'NOT_FOUND',
        /"loose" is not registered/,
      ],
      [
        'a filter by it',
        { filter: { dimensions: [{ key: 'loose', value: 'x' }] } },
        'NOT_FOUND',
        /"loose" is not registered/,
      ],
      ['a third grouping', { groupBy: ['AGENT', 'MODEL', 'FEATURE'] }, 'VALIDATION_ERROR', /at most 2/],
      ['one grouping twice', { groupBy: ['AGENT', 'AGENT'] }, 'VALIDATION_ERROR', /twice/],
      [
        'one filter twice',
        { filter: { agent: 'a1', dimensions: [{ key: 'agent_id', value: 'a2' }] } },
        'VALIDATION_ERROR',
        /only once/,
      ],
      ['a model as a dimension', { dimensions: ['model'] }, 'VALIDATION_ERROR', /MODEL/],
      ['an empty page', { first: 0 }, 'VALIDATION_ERROR', /first/],
      ['too large a page', { first: 5_001 }, 'VALIDATION_ERROR', /from 1 to 5000/],
      ['a malformed cursor', { after: 'x' }, 'VALIDATION_ERROR', /after/],
    ])('%s is an error', async (_name, more, code, message) => {
      await expect(request(more)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    });

    it('an existing object without costs in the window is not an error', async () => {
      const answer = await world.ask<{ window: { costs: CostsAnswer } }>(organizationId, COSTS, {
        start: '2026-05-01',
        end: '2026-06-01',
        filter: { endUser: 'ann', agent: 'a1', model: 'gpt-5', provider: 'openai' },
        groupBy: ['FEATURE'],
        dimensions: [],
        first: 10,
      });
      expect(answer.window.costs).toMatchObject({ nodes: [], totalCost: '0', totalCount: 0 });
    });

    it.each(['key: "user_id"', 'key: "agent_id", filterKey: "user_id", filterValue: "ann"'])(
      'the end user as a metadata key is an error: %s',
      async (args) => {
        const text = `{ window(start: "2026-03-01", end: "2026-04-01") { costsByAttribution(${args}) { totalCost } } }`;
        await expect(world.ask(organizationId, text)).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          message: expect.stringMatching(/END_USER/),
        });
      },
    );

    it('a trend of too many points, series or keys is an error', async () => {
      const trend = (more: object) =>
        world.ask(organizationId, TREND, {
          start: '2026-01-01',
          end: '2026-03-01',
          granularity: 'HOUR',
          series: 5,
          ...more,
        });
      await expect(trend({})).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(/1000 points/),
      });
      await expect(trend({ granularity: 'DAY', series: 21 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      await expect(trend({ granularity: 'DAY', by: 'AGENT', byDimension: 'team' })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    });
  });
});

function byValues(nodes: CostsAnswer['nodes']): Map<string, unknown> {
  return new Map(
    nodes.map(({ values, totalCost, eventCount, tokens }) => [
      JSON.stringify(values.map(({ value }) => value)),
      [totalCost, eventCount, tokens],
    ]),
  );
}

function tokensOf(facts: CostFact[]): object {
  const figures = model.figuresOf(facts, money('0'));
  return {
    input: figures['inputTokens'],
    output: figures['outputTokens'],
    cacheCreation: figures['cacheCreationInputTokens'],
    cacheRead: figures['cacheReadInputTokens'],
    reasoning: figures['reasoningTokens'],
  };
}

function costOfLine({ points }: TrendAnswer['series'][number]): string {
  return plain(sum(points.map(({ cost }) => money(cost))));
}

/** Start of the bucket that contains an instant. */
function bucketOf(iso: string, granularity: string): string {
  const day = new Date(`${iso.slice(0, 10)}T00:00:00Z`);
  if (granularity === 'MONTH') day.setUTCDate(1);
  while (granularity === 'WEEK' && day.getUTCDay() !== 1) day.setTime(day.getTime() - 86_400_000);
  return day.toISOString();
}
