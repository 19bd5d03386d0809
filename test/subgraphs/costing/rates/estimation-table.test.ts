/** A client's longest-prefix match on the estimation table finds the rates that the ledger charges. */
import { waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import type { Money } from '#kernel/money.ts';
import { candidateNames } from '#usage/names/candidate-names.ts';
import { effectiveRates } from '../../../../subgraphs/costing/rates/effective-rates.ts';
import { estimationTable } from '../../../../subgraphs/costing/rates/estimation-table.ts';
import type { EstimationCard, EstimationRow } from '../../../../subgraphs/costing/rates/estimation-table.ts';
import { matchRateCard } from '../../../../subgraphs/costing/rates/matching/match-rate-card.ts';
import { NO_RATES } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import type { RateCardVersion, TokenRates } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { readCatalogue } from '../../../../subgraphs/costing/rate-changes/read-catalogue.ts';

const ORGANIZATION = 'acme';
const text = (amount: Money | null) => amount && plain(amount);
const show = (rates: Omit<EstimationRow, 'modelSlug'>) => ({
  input: text(rates.input),
  output: text(rates.output),
  cacheCreation: text(rates.cacheCreation),
  cacheRead: text(rates.cacheRead),
  reasoning: text(rates.reasoning),
});
const version = (rates: Partial<TokenRates>, perUnit: Money | null = null): RateCardVersion => ({
  rates: { ...NO_RATES, ...rates },
  tiers: [{ ...NO_RATES, input: money('99'), aboveInputTokens: 10 }],
  unitPrices: {},
  perUnit,
  perUnitName: null,
});
const written = (
  organizationId: string | null,
  slug: string,
  rates: Partial<TokenRates>,
  perUnit: Money | null = null,
): EstimationCard => ({
  id: `${organizationId}:${slug}`,
  organizationId,
  providerSlug: null,
  modelSlug: slug,
  matchKind: 'prefix',
  names: [slug],
  version: version(rates, perUnit),
});

test('rows carry derived rates of the base level, sorted by name', () => {
  const { tokens: rows } = estimationTable(ORGANIZATION, [
    written(null, 'b', { input: money('2'), output: money('8'), cacheRead: money('0.5') }),
    written(null, 'a', { input: money('1') }),
  ]);
  expect(rows.map(({ modelSlug, ...rates }) => [modelSlug, show(rates)])).toEqual([
    ['a', { input: '1', output: '0', cacheCreation: '1', cacheRead: '1', reasoning: null }],
    ['b', { input: '2', output: '8', cacheCreation: '2', cacheRead: '0.5', reasoning: '8' }],
  ]);
});

test('a negotiated rate replaces the standard one, another organization’s is never shown, per-unit models have a separate table', () => {
  const { tokens: rows, units } = estimationTable(ORGANIZATION, [
    written(null, 'm', { input: money('2') }),
    written(ORGANIZATION, 'm', { input: money('1') }),
    written('rival', 'r', { input: money('1') }),
    written(null, 'pages', {}, money('0.004')),
  ]);
  expect(rows.map(({ modelSlug, input }) => [modelSlug, plain(input)])).toEqual([['m', '1']]);
  expect(units.map(({ modelSlug, unit, costPerUnit }) => [modelSlug, unit, plain(costPerUnit)])).toEqual([
    ['pages', 'per unit', '0.004'],
  ]);
});

test('a name of a government cloud has the rates of that cloud, or no row', () => {
  const variant = { context: 'partition=us-gov', aboveInputTokens: 0, factor: null, source: 'published' };
  const card = (slug: string, variants: RateCardVersion['variants']): EstimationCard => ({
    ...written(null, slug, {}),
    version: {
      ...version({ input: money('3'), output: money('15'), cacheRead: money('0.3') }),
      variants: variants ?? [],
    },
  });
  const { tokens: rows } = estimationTable(ORGANIZATION, [
    card('us-gov.acme.one', [
      { ...variant, class: 'input', rate: money('3.6') },
      { ...variant, class: 'output', rate: money('18') },
      { ...variant, class: 'cacheRead', rate: money('0.36') },
    ]),
    card('us-gov.acme.two', []),
  ]);
  expect(rows.map(({ modelSlug, ...rates }) => [modelSlug, show(rates)])).toEqual([
    ['us-gov.acme.one', { input: '3.6', output: '18', cacheCreation: '3.6', cacheRead: '0.36', reasoning: '18' }],
  ]);
});

describe('the pinned catalogue', async () => {
  const cards = readCatalogue((await waitForUpdate()) ?? []).drafts.map((draft, index): EstimationCard => ({
    id: `${index}`,
    organizationId: null,
    providerSlug: draft.providerSlug,
    modelSlug: draft.modelSlug,
    matchKind: 'catalogue',
    names: [draft.modelSlug, ...draft.aliases],
    version: draft.versions.at(-1)!.version,
  }));
  const agreed = written(ORGANIZATION, 'gpt-4o', { input: money('1.5'), output: money('6') });
  // Names of government clouds have prices in a context; the test of every name in `test/rest/rate-cards` covers them.
  const names = [...new Set(cards.flatMap((card) => card.names))].filter((name) => !name.startsWith('us-gov.'));

  test.each([
    ['standard rates', cards],
    ['an agreed rate', [...cards, agreed]],
  ])('the longest prefix in the table is the card that the ledger matches: %s', (_name, all) => {
    const rows = new Map(estimationTable(ORGANIZATION, all).tokens.map((row) => [row.modelSlug, row]));
    const byName = Map.groupBy(
      all.flatMap((card) => card.names.map((name) => ({ name, card }))),
      ({ name }) => name,
    );
    const ledger = (model: string) => {
      const candidates = candidateNames(model);
      const found = candidates.flatMap(({ name }) => byName.get(name) ?? []).map(({ card }) => card);
      return matchRateCard(
        { organizationId: ORGANIZATION, candidates, provider: null },
        [...found, agreed].filter((card) => all.includes(card)),
      )?.card.version;
    };
    const isVersion = (name: string, suffix: string) =>
      !['-latest', '-preview'].includes(suffix) || candidateNames(name + suffix).some((each) => each.name === name);
    const client = (model: string) => {
      const length = Array.from(model, (_, index) => model.length - index).find((end) => rows.has(model.slice(0, end)));
      return rows.get(model.slice(0, length ?? 0));
    };
    const differing = ['', '-20250929', '-2026-01-31', '-latest', '-preview', '-v1:0', '-001', '-0709', ':online']
      // `mistral-large-latest` is not a version of a `mistral-large`: a client that only knows prefixes cannot
      // distinguish them.
      .flatMap((suffix) => names.filter((name) => isVersion(name, suffix)).map((name) => name + suffix))
      // Nobody appends a version to a router's suffix. OpenRouter's `kimi-k2-0905` is Moonshot's `kimi-k2-0905-preview`.
      .filter((model) => !/:beta.+$/.test(model) && model !== 'moonshotai/kimi-k2-0905-preview')
      .filter((model) => {
        const priced = ledger(model);
        if (!priced || priced.perUnit) return false;
        const rates = effectiveRates(priced.rates);
        const row = client(model);
        return (
          !row ||
          JSON.stringify(show({ ...rates, input: rates.input ?? money('0'), output: rates.output ?? money('0') })) !==
            JSON.stringify(show(row))
        );
      });
    expect(differing).toEqual([]);
  });
});
