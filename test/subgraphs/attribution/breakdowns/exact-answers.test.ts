import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { money, plain } from '#kernel/money.ts';
import type { CostFact } from '#schema/priced-feed.ts';
import { rollUpNext } from '../../../../subgraphs/attribution/feed/roll-up-next.step.ts';
import { fixedBound } from '../../../../subgraphs/attribution/feed/timed-bound.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';
import { history, instant, window } from '../history.ts';
import * as model from '../plain-model.ts';
import { runs } from '../../../support/property-runs.ts';
import { MINUTES } from '../../../support/patience.ts';

// Compares very many histories with a model.
vi.setConfig(MINUTES);

const FIGURES = `totalCost inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens reasoningTokens inputCost outputCost
  cacheCreationCost cacheReadCost reasoningCost eventCount percentOfTotal`;
const TREND = 'granularity series { key label dataPoints { date cost eventCount } }';
const DOCUMENT = `query ($start: Instant!, $end: Instant!, $ann: ID!) {
  window(start: $start, end: $end) {
    costsByModel { totalCost items { modelSlug providerSlug ${FIGURES} } }
    costsByProvider { totalCost items { providerId providerName providerSlug totalCost eventCount percentOfTotal } }
    byAgent: costsByAttribution(key: "agent_id", first: 3) { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    byFeature: costsByAttribution(key: "feature") { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    byModelKey: costsByAttribution(key: "model") { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    byUnregistered: costsByAttribution(key: "late") { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    filtered: costsByAttribution(key: "team", filterKey: "agent_id", filterValue: "a1") { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    filteredByProvider: costsByAttribution(key: "model", filterKey: "provider", filterValue: "openai") { totalCost totalGroups truncated items { attributionValue ${FIGURES} } }
    costsByDimension(key: "team") { totalCost items { dimensionValue totalCost inputTokens outputTokens eventCount percentOfTotal } }
    agents: dimensionValues(key: "agent_id") models: dimensionValues(key: "model") providers: dimensionValues(key: "provider") lates: dimensionValues(key: "late")
    total: trend { ${TREND} }
    ofValueAlone: trend(dimensionValue: "red", endUserId: $ann) { ${TREND} }
    ofAnn: trend(endUserId: $ann) { ${TREND} }
    byTeam: trend(dimensionKey: "team") { ${TREND} }
    byAgentTrend: trend(dimensionKey: "agent_id", endUserId: $ann) { ${TREND} }
    ofRed: trend(dimensionKey: "team", dimensionValue: "red") { ${TREND} }
    endUserCostLines
    endUserCostDays
  }
  costsAlone: endUser(externalId: "ann") {
    costsByModel(start: $start, end: $end) { endUserId totalCost items { modelSlug providerSlug ${FIGURES} } }
  }
  endUser(externalId: "ann") {
    endUserId costsByModel(start: $start, end: $end) { endUserId totalCost items { modelSlug providerSlug ${FIGURES} } }
    costSummary(start: $start, end: $end) { totalCost eventCount inputTokens outputTokens }
    trend(start: $start, end: $end) { ${TREND} }
  }
}`;

describe('every read', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());

  it('equals the sum over the facts, for any history and any window', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(window, { minLength: 4, maxLength: 4 }),
        async ({ facts, batches }, windows) => {
          const organizationId = randomUUID();
          const known = { externalId: 'ann', firstSeenAt: '2026-01-01T00:00:00.000Z' };
          await world.ask(
            organizationId,
            'mutation { team: dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } agent: dimensionRegister(input: { key: "agent_id" }) { dimension { key } userErrors { message } } }',
          );
          for (const [index, batch] of batches.entries()) {
            world.feed.publish(organizationId, batch, index === 0 ? [known] : []);
            if (index === Math.floor(batches.length / 2)) await world.settle();
          }
          await world.follow();
          for (const [index, requested] of windows.entries()) {
            // Batches that are spread over many hours are rolled up later. Figures are the same before, in between and after.
            if (index === 1) await rollUpNext(world.database, { factsMax: 1, quietSeconds: 0 }, fixedBound(20));
            if (index === 3) await world.settle();
            const variables = { ...requested, ann: endUserId(organizationId, 'ann') };
            const answer = await world.ask<{
              window: Record<
                'endUserCostLines' | 'endUserCostDays',
                { endUsers: [string, string, number, [number, string][]][] }
              >;
            }>(organizationId, DOCUMENT, variables);
            answer.window.endUserCostLines.endUsers.sort((one, other) =>
              model.byCodePoint(String(one[1]), String(other[1])),
            );
            const { endUsers, ...others } = answer.window.endUserCostDays as {
              endUsers: [string, string, number, [number, string][]][];
              unassigned?: { costs: [number, string][] };
            };
            endUsers.sort((one, other) => model.byCodePoint(one[1], other[1]));
            for (const costs of [...endUsers.map(([, , , own]) => own), others.unassigned!.costs])
              costs.sort(([one], [other]) => one - other);
            expect(answer).toEqual(expected(facts, requested, organizationId));
          }
          const checks = await world.ask<{ verifyAttribution: { check: string; differences: string[] }[] }>(
            organizationId,
            '{ verifyAttribution { check differences } }',
          );
          expect(checks.verifyAttribution.flatMap(({ differences }) => differences)).toEqual([]);
        },
      ),
      runs(4, { nightly: 100 }),
    );
  });

  it('adds up over adjacent windows', async () => {
    const organizationId = randomUUID();
    const facts = fc.sample(history, { numRuns: 1, seed: 7 }).flatMap((sample) => sample.facts);
    world.feed.publish(organizationId, facts);
    await world.settle();
    const cost = async (start: string, end: string) =>
      (
        await world.ask<{ window: { costsByModel: { totalCost: string } } }>(
          organizationId,
          'query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel { totalCost } } }',
          { start, end },
        )
      ).window.costsByModel.totalCost;
    const [first, last] = ['2025-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'];
    const whole = await cost(first, last);
    expect(whole).toBe(plain(model.costOf(facts)));
    await fc.assert(
      fc.asyncProperty(instant, async (cut) => {
        expect(plain(money(await cost(first, cut)).plus(money(await cost(cut, last))))).toBe(whole);
      }),
      runs(15, { nightly: 200 }),
    );
  });
});

function expected(all: readonly CostFact[], requested: model.Window, organizationId: string): unknown {
  const facts = model.within(all, requested);
  const ann = endUserId(organizationId, 'ann');
  const ofAnn = facts.filter(({ endUserExternalId }) => endUserExternalId === 'ann');
  const total = model.costOf(facts);
  const granularity = model.granularityOf(requested);
  const annTrend = { granularity, series: [model.series(ofAnn, requested, ann, 'ann')] };
  const totalTrend = { granularity, series: [model.series(facts, requested, 'total', 'Total')] };
  const { inputTokens, outputTokens, totalCost, eventCount } = model.figuresOf(ofAnn, total);
  return {
    window: {
      costsByModel: model.byModel(facts),
      costsByProvider: model.byProvider(facts),
      byAgent: model.byAttribution(facts, 'agent_id', 3),
      byFeature: model.byAttribution(facts, 'feature', 1000),
      byModelKey: model.byAttribution(facts, 'model', 1000),
      byUnregistered: model.byAttribution(facts, 'late', 1000),
      filtered: model.byAttribution(
        facts.filter((fact) => model.valueOf(fact, 'agent_id') === 'a1'),
        'team',
        1000,
      ),
      filteredByProvider: model.byAttribution(
        facts.filter((fact) => fact.providerName === 'openai'),
        'model',
        1000,
      ),
      costsByDimension: {
        totalCost: plain(total),
        items: model
          .groups(facts, (fact) => model.valueOf(fact, 'team'))
          .map(({ name, facts: members }) => {
            const figures = model.figuresOf(members, total);
            return Object.fromEntries([
              ['dimensionValue', name],
              ...['totalCost', 'inputTokens', 'outputTokens', 'eventCount', 'percentOfTotal'].map((field) => [
                field,
                figures[field],
              ]),
            ]);
          }),
      },
      agents: model.values(facts, 'agent_id'),
      models: model.values(facts, 'model'),
      providers: model.values(facts, 'provider'),
      lates: model.values(facts, 'late'),
      total: totalTrend,
      ofValueAlone: totalTrend,
      ofAnn: annTrend,
      byTeam: { granularity, series: model.topSeries(facts, requested, 'team') },
      byAgentTrend: { granularity, series: model.topSeries(facts, requested, 'agent_id') },
      ofRed: {
        granularity,
        series: [
          model.series(
            facts.filter((fact) => fact.dimensions['team'] === 'red'),
            requested,
            'red',
          ),
        ],
      },
      endUserCostLines: model.endUserCostLines(all, facts, organizationId, ['ann']),
      endUserCostDays: model.endUserCostDays(all, facts, organizationId, ['ann']),
    },
    costsAlone: { costsByModel: { endUserId: ann, ...(model.byModel(ofAnn) as object) } },
    endUser: {
      endUserId: ann,
      costsByModel: { endUserId: ann, ...(model.byModel(ofAnn) as object) },
      costSummary: { totalCost, eventCount, inputTokens, outputTokens },
      trend: annTrend,
    },
  };
}
