/** Which rate cards are listed: those with a version, by the period in which one takes effect, with the number of all. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endRate } from '../../../../subgraphs/costing/rate-changes/end-rate.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { listRateCards } from '../../../../subgraphs/costing/rates/list-rate-cards.operation.ts';
import type { RateCardFilter } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const set = (model: string, effectiveFrom: string, context = costing.operator) =>
  setRate(context, { model, provider: 'acme', input: '1', output: '1', effectiveFrom });
const listed = async (filter: RateCardFilter = {}, first = 10) => {
  const { nodes, totalCount } = await listRateCards(costing.operator, {
    filter: { provider: 'acme', ...filter },
    first,
  });
  return [...nodes.map(({ modelSlug }) => modelSlug), totalCount];
};

it('a card that was ended before it took effect has no version, and is not listed', async () => {
  const { rateCardId } = await set('never-', '2026-05-01');
  await set('once-', '2026-05-01');
  expect(await listed()).toEqual(['never-', 'once-', 2]);
  await endRate(costing.operator, { rateCardId, at: '2026-05-01' });
  expect(await listed()).toEqual(['once-', 1]);
  expect(await listed({ effectiveFrom: '2026-01-01T00:00:00Z' })).toEqual(['once-', 1]);
});

it('a version takes effect in a period from its first instant until the one at which it ends', async () => {
  await set('march-', '2026-03-01');
  await set('april-', '2026-04-01');
  await set('april-', '2026-05-01');
  const between = (from: string | null, before: string | null) =>
    listed({
      ...(from !== null && { effectiveFrom: `${from}T00:00:00Z` }),
      ...(before !== null && { effectiveBefore: `${before}T00:00:00Z` }),
    });
  expect(await between('2026-03-01', '2026-04-01')).toEqual(['march-', 1]);
  expect(await between('2026-03-02', '2026-04-02')).toEqual(['april-', 1]);
  expect(await between('2026-05-01', null)).toEqual(['april-', 1]);
  expect(await between('2026-05-02', null)).toEqual([0]);
  expect(await between(null, '2026-03-01')).toEqual([0]);
  expect(await between('2026-03-01', null)).toEqual(['april-', 'march-', 2]);
});

it('a page states the number of all cards, and contains none of another organization', async () => {
  await set('one-', '2026-03-01');
  await set('two-', '2026-03-01', costing.global);
  await set('strange-', '2026-03-01', { ...costing.operator, principal: costing.stranger.principal });
  expect(await listed({}, 1)).toEqual(['one-', 2]);
  expect(await listed({ isNegotiated: true })).toEqual(['one-', 1]);
  expect(await listed({ isNegotiated: false })).toEqual(['two-', 1]);
});
