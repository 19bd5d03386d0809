/** Hypothetical rates of a card version, and what a difference between two prices is worth. */
import { describe, expect, it } from 'vitest';
import { type Amount, money, plain, quantity } from '#kernel/money.ts';
import { byRate, type TokenClass } from '#schema/token-classes.ts';
import { contextRates } from '../../../../subgraphs/costing/pricing/context-rates.ts';
import type { RatedCard } from '../../../../subgraphs/costing/rates/rated-card.query.ts';
import {
  NO_RATES,
  type RateCardVersion,
  type RateVariant,
} from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { changedVersion } from '../../../../subgraphs/costing/simulation/changed-version.ts';
import {
  compareRates,
  toPriceDifference,
  type UsageAtSize,
} from '../../../../subgraphs/costing/simulation/compare-prices.ts';

const rates = (stated: Partial<Record<TokenClass, string>>) =>
  byRate((name) => (stated[name] === undefined ? null : money(stated[name])));
const variant = (more: Partial<RateVariant>): RateVariant => ({
  context: 'tier=batch',
  class: 'all',
  aboveInputTokens: 0,
  rate: null,
  factor: null,
  source: 'test',
  ...more,
});
const VERSION: RateCardVersion = {
  rates: rates({ input: '2', output: '10', cacheRead: '0.5' }),
  tiers: [{ ...rates({ input: '4', output: '15' }), aboveInputTokens: 200_000 }],
  variants: [
    variant({ factor: quantity('0.5') }),
    variant({ context: 'tier=flex', class: 'output', rate: money('6') }),
    variant({ context: 'tier=flex', class: 'input', rate: money('1') }),
  ],
  unitPrices: {},
  perUnit: null,
  perUnitName: null,
};

describe('a factor', () => {
  const MODEL = { model: 'm', provider: null, amount: null };
  const figures = ({ rates: base, tiers, variants = [] }: RateCardVersion) => ({
    base: stated(base),
    tier: stated(tiers[0]!),
    flex: variants.filter(({ context }) => context === 'tier=flex').map(({ rate }) => plain(rate!)),
    batch: plain(variants[0]!.factor!),
  });
  const stated = (of: RateCardVersion['rates']) =>
    Object.fromEntries(
      Object.entries(of).flatMap(([name, rate]) =>
        name === 'aboveInputTokens' || rate === null ? [] : [[name, plain(rate)]],
      ),
    );

  it.each<[string, TokenClass | null, string, object]>([
    [
      'for every class leaves classes without a rate of their own to follow',
      null,
      '0.5',
      { base: { input: '1', output: '5', cacheRead: '0.25' }, tier: { input: '2', output: '7.5' }, flex: ['3', '0.5'] },
    ],
    [
      'for one class does not change the classes that follow it on the card',
      'output',
      '0.5',
      {
        base: { input: '2', output: '5', cacheRead: '0.5' },
        tier: { input: '4', output: '7.5' },
        flex: ['3', '1'],
      },
    ],
    [
      'for reasoning, which costs as much as output, gives it a rate of its own',
      'reasoning',
      '0.5',
      {
        base: { input: '2', output: '10', cacheRead: '0.5', reasoning: '5' },
        tier: { input: '4', output: '15', reasoning: '7.5' },
        flex: ['6', '1', '3'],
      },
    ],
    [
      'for one-hour cache writes, which cost as much as input at the end, gives them a rate of their own',
      'cacheCreation1h',
      '1.5',
      {
        base: { input: '2', output: '10', cacheRead: '0.5', cacheCreation1h: '3' },
        tier: { input: '4', output: '15', cacheCreation1h: '6' },
        flex: ['6', '1', '1.5'],
      },
    ],
    [
      'for a class without any rate changes nothing',
      'inputAudio',
      '0.5',
      { base: { input: '2', output: '10', cacheRead: '0.5' }, tier: { input: '4', output: '15' }, flex: ['6', '1'] },
    ],
    [
      'is rounded half up at nine decimals',
      'cacheRead',
      '0.000000003',
      {
        base: { input: '2', output: '10', cacheRead: '0.000000002' },
        tier: { input: '4', output: '15' },
        flex: ['6', '1'],
      },
    ],
  ])('%s', (_, tokenClass, factor, expected) => {
    const changed = changedVersion(VERSION, [{ ...MODEL, tokenClass, factor: quantity(factor) }]);
    expect(figures(changed)).toEqual({ ...expected, batch: '0.5' });
  });

  it('for a class that follows another one multiplies what the class cost before, in every context and size', () => {
    const reasoning = (version: RateCardVersion, context: string, input: number) => {
      const found = contextRates(version, quantity(input), { context, atMs: 0, pricedKeys: new Set<string>() });
      return typeof found === 'string' ? found : plain(found.rates.reasoning!);
    };
    const changed = changedVersion(VERSION, [{ ...MODEL, tokenClass: 'reasoning', factor: quantity('0.5') }]);
    const asked = ['', 'tier=batch', 'tier=flex'].flatMap((context) =>
      [100, 200_001].map((input) => [context, input] as const),
    );
    expect(asked.map((one) => reasoning(VERSION, ...one))).toEqual(['10', '15', '5', '7.5', '6', '6']);
    expect(asked.map((one) => reasoning(changed, ...one))).toEqual(['5', '7.5', '2.5', '3.75', '3', '3']);
  });

  it('is applied after an amount that replaces the rate', () => {
    const changed = changedVersion(VERSION, [
      { ...MODEL, tokenClass: 'input', amount: money('8'), factor: null },
      { ...MODEL, tokenClass: 'input', factor: quantity('0.25') },
    ]);
    expect(figures(changed)).toMatchObject({ base: { input: '2' }, tier: { input: '1' } });
  });
});

describe('a published price', () => {
  const card = { id: 'card' } as RatedCard;
  const published = (context: string, aboveInputTokens: number, of: Partial<Record<TokenClass, string>>) => ({
    provider: 'openai',
    model: 'm',
    context,
    aboveInputTokens,
    rates: new Map(Object.entries(of).map(([name, rate]) => [name as TokenClass, money(rate)])),
  });
  const usage = (
    context: string,
    aboveInputTokens: number,
    tokens: Partial<Record<TokenClass, bigint>>,
  ): UsageAtSize => ({
    context,
    aboveInputTokens,
    tokens: { ...byRate(() => 0n), ...tokens },
  });
  const USAGE = [
    usage('', 0, { input: 1_000_000n, reasoning: 100_000n, output: 200_000n }),
    usage('', 200_000, { input: 4_000_000n }),
    usage('tier=batch', 0, { input: 16_000_000n }),
    usage('tier=flex', 0, { input: 64_000_000n }),
  ];
  const priced = { card, version: VERSION };
  const differences = (price: ReturnType<typeof published>, sizes: readonly number[] = [0, 200_000]) =>
    compareRates(price, priced)?.differences.map((one) => {
      const { ours, theirs, costAtOurs, costAtTheirs, amountAtStake, percent, ...rest } = toPriceDifference(
        one,
        USAGE,
        sizes,
      );
      return [
        rest.class,
        ours,
        theirs,
        ...[costAtOurs, costAtTheirs, amountAtStake].map((cost) => plain(cost as Amount)),
        percent,
      ];
    });

  it.each<[string, ReturnType<typeof published>, unknown]>([
    // A million tokens at 2 and at 3.
    ['of the standard context', published('', 0, { input: '3' }), [['input', '2', '3', '2', '3', '1', 50]]],
    // Sixteen million at half of 2, and at 2.
    ['of a context', published('tier=batch', 0, { input: '2' }), [['input', '1', '2', '16', '32', '16', 100]]],
    // Four million at 4 and at 3.
    ['above a size', published('', 200_000, { input: '3' }), [['input', '4', '3', '16', '12', '-4', -25]]],
    // Reasoning costs as much as output on both sides: 300,000 at 10 and at 20.
    ['of output and reasoning', published('', 0, { output: '20' }), [['output', '10', '20', '3', '6', '3', 100]]],
    // 200,000 of output alone, since the publisher prices reasoning separately.
    [
      'of output without reasoning',
      published('', 0, { output: '20', reasoning: '10' }),
      [['output', '10', '20', '2', '4', '2', 100]],
    ],
    ['within one percent', published('', 0, { input: '2.02', output: '9.9' }), []],
    ['of a class that the card does not price', published('', 0, { inputAudio: '1' }), []],
    ['of a context that the card does not price', published('tier=fast', 0, { input: '3' }), undefined],
  ])('%s', (_, price, expected) => {
    expect(differences(price)).toEqual(expected);
  });

  it('counts the rates that the card also has', () => {
    expect(compareRates(published('', 0, { input: '2', output: '1', inputAudio: '1' }), priced)).toMatchObject({
      compared: 2,
      differences: [{ tokenClass: 'output' }],
    });
    const perUnit = { ...VERSION, rates: NO_RATES, perUnit: money('1') };
    expect(compareRates(published('', 0, { input: '2' }), { card, version: perUnit })).toBeNull();
  });
});
