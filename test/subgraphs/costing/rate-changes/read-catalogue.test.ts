/** Conversion of the catalogue's data: drafts of cards, names, and a report of everything left out. */
import type { ModelInfo, ModelPrice, Provider } from '@pydantic/genai-prices';
import { waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, test } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { canonicalRate } from '../../../../subgraphs/costing/rate-changes/read-catalogue-price.ts';
import { readCatalogue } from '../../../../subgraphs/costing/rate-changes/read-catalogue.ts';
import { withStatedModels } from '../../../../subgraphs/costing/rate-changes/stated-models.ts';
import { versionKey } from '../../../../subgraphs/costing/rates/corrections/version-key.ts';

const model = (id: string, prices: ModelInfo['prices'], match: ModelInfo['match'] = { equals: id }): ModelInfo => ({
  id,
  match,
  prices,
});
const provider = (id: string, ...models: ModelInfo[]): Provider => ({ id, name: id, api_pattern: '', models });
const one = (prices: ModelPrice, id = 'm') => readCatalogue([provider('openai', model(id, prices))]);

test.each<[number, string]>([
  [0.18000000000000002, '0.18'],
  [2.5, '2.5'],
  [0, '0'],
  [1e-9, '0.000000001'],
  [1000, '1000'],
])('%s is %s', (value, text) => {
  expect(canonicalRate(value)).toSatisfy(
    (found: ReturnType<typeof canonicalRate>) => 'rate' in found && plain(found.rate) === text,
  );
});

test.each([-0.1, 1000.1, 0.08333333333333334, 1e-10, Number.NaN, Number.POSITIVE_INFINITY])(
  '%s is rejected',
  (value) => {
    expect(canonicalRate(value)).toHaveProperty('refused');
  },
);

/** Speech, images, videos. */
const NO_OTHERS = Array.from({ length: 8 }, () => null);

describe('prices', () => {
  test('are read with classes, tiers and named units', () => {
    const { drafts } = one({
      input_mtok: { base: 3, tiers: [{ start: 200000, price: 6 }] } as ModelPrice[string],
      output_mtok: 15,
      cache_write_1h_mtok: 6,
      web_searches_kcount: 10,
    });
    expect(drafts.map(({ versions }) => versions.map(({ version }) => versionKey(version)))).toEqual([
      [
        JSON.stringify([
          ['3', '15', null, '6', null, null, ...NO_OTHERS],
          [[200000, ['6', null, null, null, null, null, ...NO_OTHERS]]],
          [['web_searches', '0.01']],
          null,
          null,
          [],
        ]),
      ],
    ]);
  });

  test('a price per thousand pages becomes a price per page', () => {
    const [draft] = one({ input_document_kpages: 4, input_annotated_document_kpages: 5 }).drafts;
    expect(draft?.versions[0]?.version).toMatchObject({ perUnitName: 'document_pages' });
    expect(plain(draft!.versions[0]!.version.perUnit!)).toBe('0.004');
  });

  test('dated rows become versions; hours of the day are a context of the row before them', () => {
    const reading = readCatalogue([
      provider(
        'openai',
        model('m', [
          { prices: { input_mtok: 1 } },
          { constraint: { type: 'start_date', start_date: '2026-03-13' }, prices: { input_mtok: 2 } },
          {
            constraint: { type: 'time_of_date', start_time: '00:30:00Z', end_time: '16:30:00Z' },
            prices: { input_mtok: 3 },
          },
        ]),
      ),
    ]);
    expect(
      reading.drafts[0]?.versions.map(({ effectiveFrom, version }) => [effectiveFrom, plain(version.rates.input!)]),
    ).toEqual([
      [null, '1'],
      ['2026-03-13', '2'],
    ]);
    expect(reading.omitted).toEqual([]);
    expect(reading.drafts[0]?.versions.map(({ version }) => version.variants ?? [])).toEqual([
      [],
      [
        {
          context: 'hours=0030-1630',
          class: 'input',
          aboveInputTokens: 0,
          rate: money('3'),
          factor: null,
          source: 'the catalogue',
        },
      ],
    ]);
  });

  test('an implausible number drops the card, an unknown class is left out, an empty price must be stated as free', () => {
    expect(one({ input_mtok: -1 })).toMatchObject({
      drafts: [],
      dropped: [{ model: 'openai/m', what: 'input_mtok: -1 is below 0' }],
    });
    expect(one({ input_mtok: 1, output_song_mtok: 2 })).toMatchObject({
      drafts: [{}],
      omitted: [{ what: expect.stringContaining('output_song_mtok') }],
    });
    expect(one({})).toMatchObject({
      drafts: [],
      dropped: [{ what: 'the price contains nothing that a rate card can store' }],
    });
    expect(one({}, 'm:free').drafts).toHaveLength(1);
  });
});

describe('names', () => {
  test('owners’ models have bare names, hosts’ models names with the host; in lower case, each for one card', () => {
    const { drafts } = readCatalogue([
      provider(
        'openai',
        model(
          'A',
          { input_mtok: 1 },
          { or: [{ equals: 'A' }, { starts_with: 'a-0' }, { starts_with: 'a-' }, { regex: '^a' }] },
        ),
        model('B', { input_mtok: 1 }, { or: [{ equals: 'b' }, { equals: 'a-0' }, { equals: 'a' }] }),
      ),
      provider('novita', model('x/Y', { input_mtok: 1 })),
    ]);
    expect(drafts.map(({ modelSlug, aliases }) => [modelSlug, aliases])).toEqual([
      ['a', []],
      ['b', ['a-0']],
      ['novita/x/y', ['x/y']],
    ]);
  });

  test('“regional” is not part of a name', () => {
    const { drafts } = readCatalogue([
      provider(
        'aws',
        model(
          'regional.anthropic.claude-3-haiku-20240307-v1:0',
          { input_mtok: 1 },
          { contains: 'claude-3-haiku-20240307' },
        ),
      ),
    ]);
    expect(drafts[0]?.aliases).toEqual([
      'claude-3-haiku-20240307',
      'anthropic.claude-3-haiku-20240307-v1:0',
      'anthropic.claude-3-haiku-20240307',
    ]);
  });
});

describe('the pinned catalogue', async () => {
  const providers = (await waitForUpdate()) ?? [];
  const { drafts, dropped } = readCatalogue(providers);

  test('nearly every model becomes a card, and every other one is reported', () => {
    const models = providers.flatMap((each) => withStatedModels(each)).length;
    expect(drafts.length + dropped.length).toBe(models);
    expect(dropped.length).toBeLessThan(models / 50);
  });

  test('a name belongs to one card within its provider', () => {
    const names = drafts.flatMap(({ providerSlug, modelSlug, aliases }) =>
      [modelSlug, ...aliases].map((name) => `${providerSlug} ${name}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the one-hour cache, which hosts of Claude omit', () => {
  const claude = { input_mtok: 3.3, output_mtok: 16.5, cache_write_mtok: 4.125, cache_read_mtok: 0.33 };
  const ratesOf = (host: string, prices: ModelPrice, id = 'regional.anthropic.claude-sonnet-4-5-v1:0') => {
    const { version } = readCatalogue([provider(host, model(id, prices))]).drafts[0]!.versions[0]!;
    return [version.rates, ...version.tiers].map(({ cacheCreation1h }) => cacheCreation1h && plain(cacheCreation1h));
  };

  test('costs twice the input rate, including above a size threshold', () => {
    expect(ratesOf('aws', claude)).toEqual(['6.6']);
    const tier = (base: number, price: number) => ({ base, tiers: [{ start: 200_000, price }] });
    const sized = { input_mtok: tier(3.3, 6.6), output_mtok: 16.5, cache_write_mtok: tier(4.125, 8.25) };
    expect(ratesOf('aws', sized)).toEqual(['6.6', '13.2']);
  });

  test('is not derived if writes have another price, for other models, or if it is stated', () => {
    expect(ratesOf('aws', { ...claude, cache_write_mtok: 5 })).toEqual([null]);
    expect(ratesOf('aws', claude, 'amazon.nova-pro-v1:0')).toEqual([null]);
    expect(ratesOf('github-copilot', claude)).toEqual([null]);
    expect(ratesOf('aws', { ...claude, cache_write_1h_mtok: 7 })).toEqual(['7']);
  });
});
