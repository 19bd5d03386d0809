/** Corrections on top of a catalogue: what they replace, when, and when they have become unnecessary. */
import { describe, expect, test } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { startMs } from '#kernel/time/iso-span.ts';
import { readBuiltInProviders } from '../../../../../subgraphs/costing/rate-changes/built-in-catalogue.ts';
import { readCatalogue } from '../../../../../subgraphs/costing/rate-changes/read-catalogue.ts';
import type { CardDraft } from '../../../../../subgraphs/costing/rates/corrections/card-draft.ts';
import { inForceAt } from '../../../../../subgraphs/costing/rates/corrections/change-over-time.ts';
import {
  correctDrafts,
  type DatedAlias,
  type PriceCorrection,
} from '../../../../../subgraphs/costing/rates/corrections/correct-drafts.ts';
import { DATED_ALIASES } from '../../../../../subgraphs/costing/rates/corrections/dated-aliases.ts';
import { PRICE_CORRECTIONS } from '../../../../../subgraphs/costing/rates/corrections/price-corrections.ts';
import { NO_RATES } from '../../../../../subgraphs/costing/rates/rate-card-version.ts';

const card = (modelSlug: string, aliases: readonly string[], ...prices: [string | null, string][]): CardDraft => ({
  providerSlug: 'acme',
  modelSlug,
  displayName: modelSlug,
  aliases,
  versions: prices.map(([effectiveFrom, input]) => ({
    effectiveFrom,
    version: {
      rates: { ...NO_RATES, input: money(input), output: money('10') },
      tiers: [],
      unitPrices: {},
      perUnit: null,
      perUnitName: null,
    },
  })),
});
const correction = (more: Partial<PriceCorrection>): PriceCorrection => ({
  provider: 'acme',
  models: ['m'],
  source: 'acme.example/prices',
  date: '2026-11-26',
  ...more,
});
const alias = (served: DatedAlias['served'], names: readonly string[] = ['m-latest']): DatedAlias => ({
  provider: 'acme',
  names,
  served,
  source: 'acme.example/models',
  date: '2026-11-26',
});
const correct = (drafts: readonly CardDraft[], prices: PriceCorrection[], aliases: DatedAlias[] = []) =>
  correctDrafts(drafts, { prices, aliases });
const inputs = (draft: CardDraft | undefined) =>
  draft?.versions.map(({ effectiveFrom, version }) => [
    effectiveFrom,
    version.rates.input === null ? null : plain(version.rates.input),
  ]);

describe('a correction', () => {
  test('applies to its period and keeps what it does not state', () => {
    const { drafts } = correct(
      [card('m', [], [null, '1'], ['2026-05-01', '2'])],
      [correction({ from: '2026-03-01', until: '2026-06-01', rates: { input: '3' } })],
    );
    expect(inputs(drafts[0])).toEqual([
      [null, '1'],
      ['2026-03-01', '3'],
      ['2026-05-01', '3'],
      ['2026-06-01', '2'],
    ]);
    expect(drafts[0]!.versions.map(({ isCorrected = false }) => isCorrected)).toEqual([false, true, true, false]);
    expect(drafts[0]!.versions.every(({ version }) => plain(version.rates.output!) === '10')).toBe(true);
  });

  test('is unnecessary once the catalogue charges the same in the whole period', () => {
    const row = correction({ from: '2026-03-01', until: '2026-06-01', rates: { input: '3' } });
    const behind = [card('m', [], [null, '1'], ['2026-03-02', '3'], ['2026-06-01', '2'])];
    const caughtUp = [card('m', [], [null, '1'], ['2026-03-01T00:00:00Z', '3'], ['2026-06-01', '2'])];
    expect(correct(behind, [row]).unnecessary).toEqual([]);
    expect(correct(caughtUp, [row]).unnecessary).toEqual([
      'acme/m from 2026-03-01 until 2026-06-01: the catalogue has this price',
    ]);
  });
});

describe('an alias', () => {
  const OLD = card('m', ['m-latest', 'm-1'], [null, '1']);
  const NEW = card('m-2', [], [null, '5'], ['2026-08-01', '4']);

  test('costs the same as the model it referred to on that day, and the other card loses the name', () => {
    const { drafts } = correct(
      [OLD, NEW],
      [],
      [
        alias([
          { from: '2026-01-01', model: 'm' },
          { from: '2026-06-01', model: 'm-2' },
          { from: '2026-09-01', model: null },
        ]),
      ],
    );
    expect(drafts.map(({ modelSlug, aliases }) => [modelSlug, ...aliases])).toEqual([
      ['m', 'm-1'],
      ['m-2'],
      ['m-latest'],
    ]);
    expect(inputs(drafts[2])).toEqual([
      ['2026-01-01', '1'],
      ['2026-06-01', '5'],
      ['2026-08-01', '4'],
      ['2026-09-01', null],
    ]);
  });

  test('an alias that is also the slug of a card becomes a separate card, and the original one keeps its remaining names', () => {
    const { drafts } = correct([OLD, NEW], [], [alias([{ model: 'm' }, { from: '2026-06-01', model: 'm-2' }], ['m'])]);
    expect(drafts.map(({ modelSlug, aliases }) => [modelSlug, ...aliases])).toEqual([
      ['m-latest', 'm-1'],
      ['m-2'],
      ['m'],
    ]);
    expect(inputs(drafts[2])).toEqual([
      [null, '1'],
      ['2026-06-01', '5'],
      ['2026-08-01', '4'],
    ]);
  });

  test('has no effect if a model it referred to is not in the catalogue', () => {
    const { drafts } = correct([OLD], [], [alias([{ model: 'm-2' }])]);
    expect(drafts).toEqual([OLD]);
  });

  test('is unnecessary once the catalogue has the same dates', () => {
    const known = card('m-latest', [], [null, '1'], ['2026-06-01', '5'], ['2026-08-01', '4']);
    const served = alias([{ model: 'm' }, { from: '2026-06-01', model: 'm-2' }]);
    const { unnecessary } = correct([card('m', [], [null, '1']), NEW, known], [], [served]);
    expect(unnecessary).toEqual(['acme/m-latest: the catalogue knows which models this name referred to']);
    expect(correct([OLD, NEW], [], [served]).unnecessary).toEqual([]);
  });
});

describe('the current corrections', () => {
  const built = readBuiltInProviders().then((providers) => readCatalogue(providers).drafts);

  test('are not in the installed release of the catalogue: remove those listed here', async () => {
    expect(correct(await built, [...PRICE_CORRECTIONS], [...DATED_ALIASES]).unnecessary).toEqual([]);
  });

  test('are about existing cards, have ordered periods, and name their source', async () => {
    const slugs = new Set((await built).map(({ providerSlug, modelSlug }) => `${providerSlug} ${modelSlug}`));
    const rows = PRICE_CORRECTIONS.map((row) => [
      row,
      ...row.models.filter((model) => !slugs.has(`${row.provider} ${model}`)),
    ]);
    expect(rows.filter(([, ...unknown]) => unknown.length > 0)).toEqual([]);
    const served = DATED_ALIASES.flatMap(({ provider, served: of }) =>
      of.flatMap(({ model }) => (model === null ? [] : `${provider} ${model}`)),
    );
    expect(served.filter((name) => !slugs.has(name))).toEqual([]);
    for (const { from, until } of PRICE_CORRECTIONS) if (until) expect(startMs(from)).toBeLessThan(startMs(until));
    for (const { served: of } of DATED_ALIASES)
      expect(of.map(({ from }) => startMs(from))).toEqual(
        of.map(({ from }) => startMs(from)).toSorted((a, b) => a - b),
      );
    for (const { source, date } of [...PRICE_CORRECTIONS, ...DATED_ALIASES])
      expect([source.length > 10, /^\d{4}-\d\d-\d\d$/.test(date)]).toEqual([true, true]);
  });

  test('cover every alias for the newest model of a line: dated upstream, dated here, or reviewed and left undated', async () => {
    const { drafts } = correct(await built, [...PRICE_CORRECTIONS], [...DATED_ALIASES]);
    const isDated = ({ versions }: CardDraft) => versions.length > 1 || inForceAt(versions, -Infinity) === undefined;
    const undated = drafts.flatMap((draft) =>
      isDated(draft)
        ? []
        : [draft.modelSlug, ...draft.aliases]
            .filter((name) => /-latest\b/.test(name) && !/\d/.test(name))
            .map((name) => `${draft.providerSlug} ${name}`),
    );
    expect([...new Set(undated)].toSorted()).toEqual(REVIEWED.toSorted());
  });
});

const REVIEWED: readonly string[] = [
  // Names with only one model so far, or one price for all models.
  'mistral devstral-small-latest',
  'mistral mistral-saba-latest',
  'mistral pixtral-large-latest',
  'openai codex-mini-latest',
  'openai gpt-chat-latest',
  'typesafe jev-latest',
  // Responses of OpenRouter contain the model that served the call, and its cost.
  ...[
    '~anthropic/claude-fable',
    '~anthropic/claude-haiku',
    '~anthropic/claude-sonnet',
    '~google/gemini-pro',
    '~moonshotai/kimi',
  ]
    .concat(['~openai/gpt', '~openai/gpt-mini', 'openai/gpt-chat'])
    .flatMap((name) => [`openrouter ${name}-latest`, `openrouter openrouter/${name}-latest`]),
];
