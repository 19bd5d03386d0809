/** The changes that an import may make with a new catalogue, given the stored one. */
import { describe, expect, test } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { compareCatalogue, isSuddenChange } from '../../../../subgraphs/costing/rate-changes/compare-catalogue.ts';
import type { StoredCard, StoredVersion } from '../../../../subgraphs/costing/rate-changes/compare-catalogue.ts';
import { NO_RATES } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import type { RateCardVersion } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import type { CardDraft } from '../../../../subgraphs/costing/rates/corrections/card-draft.ts';

const IMPORTED_AT = new Date('2026-05-10T08:00:00Z');
const at = (input: string | null, more: Partial<RateCardVersion> = {}): RateCardVersion => ({
  rates: { ...NO_RATES, input: input === null ? null : money(input) },
  tiers: [],
  unitPrices: {},
  perUnit: null,
  perUnitName: null,
  ...more,
});
const draft = (modelSlug: string, ...prices: [string | null, string][]): CardDraft => ({
  providerSlug: 'openai',
  modelSlug,
  displayName: modelSlug,
  aliases: [],
  versions: prices.map(([effectiveFrom, input]) => ({ effectiveFrom, version: at(input) })),
});
const stored = (modelSlug: string, ...prices: [string | null, string][]): StoredCard => ({
  providerSlug: 'openai',
  modelSlug,
  aliases: [],
  versions: prices.map(([from, input]) => ({
    effectiveFrom: from === null ? null : new Date(`${from}T00:00:00Z`),
    version: at(input),
  })),
});
const opened = (open: readonly StoredVersion[]) =>
  open.map(({ effectiveFrom, version }) => [effectiveFrom?.toISOString() ?? null, plain(version.rates.input!)]);
const compare = (card: StoredCard, offer: CardDraft) => compareCatalogue([card], [offer], IMPORTED_AT);

test('the first import has no lower bound, and dated prices start at their date', () => {
  const { stop, added, changed } = compareCatalogue([], [draft('m', [null, '1'], ['2026-03-13', '2'])], IMPORTED_AT);
  expect([stop, changed.length]).toEqual([null, 0]);
  expect(opened(added[0]!.open)).toEqual([
    [null, '1'],
    ['2026-03-13T00:00:00.000Z', '2'],
  ]);
});

describe('a stored card', () => {
  test('stays the same however often the same prices are imported', () => {
    expect(
      compare(stored('m', [null, '1'], ['2026-03-13', '2']), draft('m', [null, '1'], ['2026-03-13', '2'])),
    ).toMatchObject({ changed: [], held: [], unchanged: 1 });
  });

  test.each<[string, StoredCard, CardDraft, unknown[]]>([
    [
      'a change without a date takes effect now',
      stored('m', [null, '1']),
      draft('m', [null, '2']),
      [['2026-05-10T08:00:00.000Z', '2']],
    ],
    [
      'a dated change opens at its date',
      stored('m', [null, '1']),
      draft('m', [null, '1'], ['2026-05-01', '2']),
      [['2026-05-01T00:00:00.000Z', '2']],
    ],
    [
      'a date before the stored version cannot rewrite it',
      stored('m', [null, '1'], ['2026-05-05', '1.5']),
      draft('m', [null, '1'], ['2026-05-01', '2']),
      [['2026-05-10T08:00:00.000Z', '2']],
    ],
    [
      'an announced price opens in the future',
      stored('m', [null, '1']),
      draft('m', [null, '1'], ['2027-01-01', '2']),
      [['2027-01-01T00:00:00.000Z', '2']],
    ],
    [
      'an announced price that moved is corrected on both days',
      stored('m', [null, '1'], ['2026-12-01', '2']),
      draft('m', [null, '1'], ['2027-01-01', '2']),
      [
        ['2026-12-01T00:00:00.000Z', '1'],
        ['2027-01-01T00:00:00.000Z', '2'],
      ],
    ],
    [
      'a difference only in the past is ignored',
      stored('m', [null, '1'], ['2026-01-01', '2']),
      draft('m', [null, '1.1'], ['2026-01-01', '2']),
      [],
    ],
  ])('is compared with the catalogue: %s', (_name, card, offer, open) => {
    const { changed } = compare(card, offer);
    expect(changed.flatMap((change) => opened(change.open))).toEqual(open);
  });

  test('a correction replaces the past, for its period and regardless of the size of the change', () => {
    const corrected: CardDraft = {
      ...draft('m', [null, '1'], ['2026-04-01', '1']),
      versions: [
        { effectiveFrom: null, version: at('1.1') },
        { effectiveFrom: '2026-02-01', version: at('9'), isCorrected: true },
        { effectiveFrom: '2026-04-01T16:00:00Z', version: at('1.1') },
      ],
    };
    const card = stored('m', [null, '1'], ['2026-03-01', '1.05']);
    const { changed, held } = compare(card, corrected);
    expect(held).toEqual([]);
    expect(opened(changed[0]!.open)).toEqual([
      ['2026-02-01T00:00:00.000Z', '9'],
      ['2026-03-01T00:00:00.000Z', '9'],
      // After the correction, the stored price applies, and the catalogue's own change starts now.
      ['2026-04-01T16:00:00.000Z', '1.05'],
      ['2026-05-10T08:00:00.000Z', '1.1'],
    ]);
    const imported = [...card.versions.slice(0, 1), ...changed[0]!.open];
    expect(compare({ ...card, versions: imported }, corrected)).toMatchObject({ changed: [], unchanged: 1 });
  });

  test('a change of more than threefold is held', () => {
    expect(compare(stored('m', [null, '1']), draft('m', [null, '3'])).changed).toHaveLength(1);
    expect(compare(stored('m', [null, '1']), draft('m', [null, '3.1']))).toMatchObject({
      changed: [],
      held: [{ why: 'a price changed more than threefold' }],
    });
    expect(compare(stored('m', [null, '1']), draft('m', [null, '0.3'])).held).toHaveLength(1);
    expect(compare(stored('m', [null, '1']), draft('m', [null, '0'])).held).toHaveLength(1);
  });

  test('new and removed names are reported', () => {
    const { renamed } = compare(
      { ...stored('m', [null, '1']), aliases: ['a', 'b'] },
      { ...draft('m', [null, '1']), aliases: ['b', 'c'] },
    );
    expect(renamed).toMatchObject([{ add: ['c'], remove: ['a'] }]);
  });
});

test('removed cards stay stored; a removal of more than a tenth stops the import', () => {
  const before = Array.from({ length: 10 }, (_, index) => stored(`m${index}`, [null, '1']));
  const after = (count: number) => Array.from({ length: count }, (_, index) => draft(`m${index}`, [null, '1']));
  expect(compareCatalogue(before, after(9), IMPORTED_AT)).toMatchObject({ stop: null, dropped: [{ modelSlug: 'm9' }] });
  expect(compareCatalogue(before, after(8), IMPORTED_AT).stop).toContain('more than a tenth');
});

test.each<[string, RateCardVersion, RateCardVersion, boolean]>([
  ['a new class', at('1'), at('1', { rates: { ...NO_RATES, input: money('1'), cacheRead: money('0.5') } }), false],
  [
    'a unit',
    at('1', { unitPrices: { requests: money('0.01') } }),
    at('1', { unitPrices: { requests: money('0.04') } }),
    true,
  ],
  ['a tier', at('1'), at('1', { tiers: [{ ...NO_RATES, input: money('4'), aboveInputTokens: 200_000 }] }), true],
  ['tokens to units', at('1'), at(null, { perUnit: money('1') }), true],
  ['a derived rate', at('1'), at('1', { rates: { ...NO_RATES, input: money('1'), cacheRead: money('0.1') } }), true],
])('a change of a price is sudden above threefold: %s', (_name, before, after, sudden) => {
  expect(isSuddenChange(before, after)).toBe(sudden);
});
