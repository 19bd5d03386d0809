/** The cost of an event under a rate card version: classes, tiers, fallbacks, units, waiting. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { money, type Money, plain, quantity, sum } from '#kernel/money.ts';
import { chooseTier } from '../../../../subgraphs/costing/rates/choose-tier.ts';
import { priceEvent } from '../../../../subgraphs/costing/pricing/price-event.ts';
import type { PricedEvent, WaitingEvent } from '../../../../subgraphs/costing/pricing/price-event.ts';
import { priceOverride, priceUsage } from '../../../../subgraphs/costing/pricing/price-usage.ts';
import { NO_RATES } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import type { RateCardVersion, TokenRates } from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { readTokens } from '#usage/counts/read-tokens.ts';
import { readUnitCounts, readUnits } from '#usage/counts/read-units.ts';

type Texts = { [name in keyof TokenRates]?: string };
const ratesOf = (texts: Texts): TokenRates => ({
  ...NO_RATES,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, money(text)])),
});
const card = (texts: Texts, more: Partial<RateCardVersion> = {}): RateCardVersion => ({
  rates: ratesOf(texts),
  tiers: [],
  unitPrices: {},
  perUnit: null,
  perUnitName: null,
  ...more,
});
const shown = (result: PricedEvent | WaitingEvent) => {
  if (result.kind === 'waiting') return result.reason;
  const {
    kind: _kind,
    charges: _charges,
    context: _context,
    unknownContext: _unknown,
    tierAboveInputTokens,
    ...amounts
  } = result;
  return {
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount && plain(amount)])),
    tierAboveInputTokens,
  };
};
const tokens = (inputTokens: number, outputTokens: number, metadata = {}) =>
  readTokens({
    inputTokens,
    outputTokens,
    metadata,
  });

/** For classes without a rate on any card of these tests. */
const none = fc.constant(null);
const TEXT_ALONE = {
  inputAudio: none,
  outputAudio: none,
  cacheReadAudio: none,
  inputImage: none,
  outputImage: none,
  cacheReadImage: none,
  inputVideo: none,
  outputVideo: none,
};

describe('classes', () => {
  test('each class is priced at its rate; parts that were not reported are null', () => {
    expect(
      shown(
        priceEvent(
          tokens(1000, 100, { cache_read_input_tokens: 300 }),
          card({ input: '2.5', output: '10', cacheRead: '1.25' }),
          null,
          {},
        ),
      ),
    ).toEqual({
      total: '0.003125',
      input: '0.00175',
      output: '0.001',
      cacheCreation: null,
      cacheRead: '0.000375',
      reasoning: null,
      units: null,
      tierAboveInputTokens: null,
    });
  });

  test('a missing rate is the parent’s: for cache the input, for a 1h write the write, for reasoning the output', () => {
    const metadata = {
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 200,
      cache_creation: { ephemeral_1h_input_tokens: 50 },
      reasoning_tokens: 10,
    };
    expect(shown(priceEvent(tokens(1000, 100, metadata), card({ input: '1', output: '2' }), null, {}))).toMatchObject({
      total: '0.0012',
      input: '0.0007',
      cacheRead: '0.0001',
      cacheCreation: '0.0002',
      output: '0.00018',
      reasoning: '0.00002',
    });
    expect(
      shown(priceEvent(tokens(1000, 0, metadata), card({ input: '1', output: '2', cacheCreation: '4' }), null, {})),
    ).toMatchObject({ cacheCreation: '0.0008' });
  });

  test('an event waits if it has tokens of a class without any rate; a count of zero costs nothing', () => {
    expect(shown(priceEvent(tokens(10, 5), card({ input: '1' }), null, {}))).toBe(
      'The rate card has no rate for: output',
    );
    expect(shown(priceEvent(tokens(10, 0), card({ input: '1' }), null, {}))).toMatchObject({
      total: '0.00001',
      output: '0',
    });
  });

  test('nine decimals times the largest count stay exact', () => {
    expect(
      shown(priceEvent(tokens(9007199254740991, 1), card({ input: '0.000000001', output: '999.999999999' }), null, {})),
    ).toMatchObject({ input: '9.007199254740991', output: '0.000999999999999', total: '9.00819925474099' });
  });
});

describe('tiers', () => {
  const version = card(
    { input: '1', output: '3', cacheRead: '0.1' },
    {
      tiers: [
        { ...ratesOf({ output: '5' }), aboveInputTokens: 200 },
        { ...ratesOf({ input: '2' }), aboveInputTokens: 100 },
      ],
    },
  );
  test.each([
    [100, null, '1', '3'],
    [101, 100, '2', '3'],
    [200, 100, '2', '3'],
    [201, 200, '2', '5'],
  ])('%i input tokens select the tier above %s', (count, threshold, input, output) => {
    const { aboveInputTokens, rates } = chooseTier(version, quantity(count));
    expect([
      aboveInputTokens,
      rates.input && plain(rates.input),
      rates.output && plain(rates.output),
      rates.cacheRead && plain(rates.cacheRead),
    ]).toEqual([threshold, input, output, '0.1']);
  });

  test('the tier depends on the total input, cached tokens included', () => {
    expect(shown(priceEvent(tokens(3, 0, { cache_read_input_tokens: 98 }), version, null, {}))).toMatchObject({
      tierAboveInputTokens: 100,
      input: '0.000006',
    });
  });
});

describe('units', () => {
  const perPage = card({}, { perUnit: money('0.004'), perUnitName: 'document_pages' });
  test('a per-unit card charges units and no tokens', () => {
    expect(shown(priceEvent(tokens(500, 10), perPage, readUnits(null, { units: 12 }), {}))).toEqual({
      total: '0.048',
      input: '0',
      output: '0',
      cacheCreation: null,
      cacheRead: null,
      reasoning: null,
      units: '0.048',
      tierAboveInputTokens: null,
    });
  });

  test('an event without units waits; a quantity of 1 is never assumed', () => {
    expect(shown(priceEvent(tokens(0, 0), perPage, readUnits(undefined, { units: 'many' }), {}))).toMatch(/no units/);
  });

  test('named units are charged in addition to tokens if the card prices them', () => {
    const version = card({ input: '3', output: '15' }, { unitPrices: { web_searches: money('0.01') } });
    const counts = readUnitCounts(Object.keys(version.unitPrices), {
      server_tool_use: { web_search_requests: 2 },
      requests: 7,
    });
    expect(shown(priceEvent(tokens(1000, 0), version, null, counts))).toMatchObject({
      total: '0.023',
      input: '0.003',
      units: '0.02',
    });
    expect(shown(priceEvent(tokens(1000, 0), version, null, {}))).toMatchObject({ total: '0.003', units: null });
  });

  test('a class without its own rate names the class it takes its rate from', () => {
    const usage = { prompt_tokens_details: { image_tokens: 40 }, cache_creation: { ephemeral_1h_input_tokens: 30 } };
    const linesOf = (version: RateCardVersion) => {
      const priced = priceEvent(tokens(100, 10, usage), version, null, {});
      return priced.kind === 'priced' && priced.charges.map(({ item, why }) => [item, why]);
    };
    expect(linesOf(card({ input: '1', output: '2' }))).toEqual([
      ['input', undefined],
      ['output', undefined],
      ['cache_creation_1h', 'as cacheCreation: the rate card has no rate of its own'],
      ['input_image', 'as input: the rate card has no rate of its own'],
    ]);
    const rated = card({ input: '1', output: '2', cacheCreation1h: '3', inputImage: '4' });
    expect(linesOf(rated)).toContainEqual(['input_image', undefined]);
  });

  test('a fee per call is charged once per response; it may depend on the context, and an unreported count is a guess', () => {
    const fee = (size: string, rate: string) => ({
      context: `search=${size}`,
      class: 'requests',
      aboveInputTokens: 0,
      rate: money(rate),
      factor: null,
      source: 'test',
    });
    const version = card(
      { input: '1', output: '1' },
      { unitPrices: { requests: money('0.012') }, variants: [fee('low', '0.005')] },
    );
    const cost = (metadata: Record<string, unknown>) => {
      const usage = { inputTokens: 1_000, outputTokens: 0, costOverride: null, units: null, provider: 'perplexity' };
      const others = { cacheReadInputTokens: null, cacheCreationInputTokens: null, reasoningTokens: null };
      const price = priceUsage(
        { ...usage, ...others, providerUsage: null, metadata, model: 'sonar', eventTimeMs: 0 },
        { version, providerSlug: 'perplexity' },
      );
      return price.kind === 'waiting' ? price.reason : [plain(price.priced.total), price.tokens.name];
    };
    // The cost that a client estimates from token rates.
    expect(cost({})).toEqual(['0.001', 'guessed']);
    expect(cost({ usage: { prompt_tokens: 1_000 } })).toEqual(['0.013', 'guessed']);
    expect(cost({ requests: 3 })).toEqual(['0.037', 'guessed']);
    expect(cost({ requests: 0 })).toEqual(['0.001', 'normalized']);
    expect(cost({ usage: { prompt_tokens: 1_000, search_context_size: 'low' } })).toEqual(['0.006', 'perplexity-chat']);
    expect(cost({ usage: { prompt_tokens: 1_000, search_context_size: 'huge' } })).toEqual(['0.013', 'guessed']);
  });

  test('rounds half-up at fifteen digits if units need rounding', () => {
    const version = card({}, { perUnit: money('0.000000001') });
    expect(shown(priceEvent(tokens(0, 0), version, quantity('0.0000005'), {}))).toMatchObject({
      total: '0.000000000000001',
    });
    expect(shown(priceEvent(tokens(0, 0), version, quantity('0.0000004'), {}))).toMatchObject({ total: '0' });
  });

  test.each([
    [0, '0'],
    [2.5, '2.5'],
    ['3', '3'],
    ['0.1', '0.1'],
    [-1, null],
    ['-1', null],
    ['1e3', null],
    [Number.NaN, null],
    [1e13, null],
    [true, null],
  ])('units %s', (sent, read) => {
    const found = readUnits(sent, null);
    expect(found && plain(found)).toBe(read);
  });
});

test('a cost override is the total: input and output cost zero, and no other class has a cost', () => {
  expect(shown(priceOverride(money('0.42')))).toEqual({
    total: '0.42',
    input: '0',
    output: '0',
    cacheCreation: null,
    cacheRead: null,
    reasoning: null,
    units: null,
    tierAboveInputTokens: null,
  });
});

test('the parts add up to the total to the last digit, and so do the charges', () => {
  const rate = fc.option(
    fc.bigInt({ min: 0n, max: 10n ** 12n }).map((digits) => money(`${digits}`).div(1_000_000_000)),
    { nil: null },
  );
  const rates = fc.record({
    input: rate,
    output: rate,
    cacheCreation: rate,
    cacheCreation1h: rate,
    cacheRead: rate,
    reasoning: rate,
    ...TEXT_ALONE,
  });
  const tier = fc.tuple(rates, fc.nat(3000)).map(([values, aboveInputTokens]) => ({ ...values, aboveInputTokens }));
  const count = fc.option(fc.nat(5000), { nil: null });
  fc.assert(
    fc.property(
      rates,
      fc.array(tier, { maxLength: 3 }),
      fc.nat(5000),
      fc.nat(5000),
      count,
      count,
      count,
      count,
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (base, tiers, input, output, read, created, hour, reasoning, searches) => {
        const metadata = {
          cache_read_input_tokens: read,
          cache_creation_input_tokens: created,
          cache_creation: { ephemeral_1h_input_tokens: hour },
          reasoning_tokens: reasoning,
        };
        const version: RateCardVersion = {
          rates: base,
          tiers,
          unitPrices: { web_searches: money('0.01') },
          perUnit: null,
          perUnitName: null,
        };
        const priced = priceEvent(tokens(input, output, metadata), version, null, { web_searches: quantity(searches) });
        if (priced.kind === 'waiting') return;
        const parts: (Money | null)[] = [
          priced.input,
          priced.output,
          priced.cacheCreation,
          priced.cacheRead,
          priced.reasoning,
          priced.units,
        ];
        expect(plain(sum(parts.filter((part) => part !== null)))).toBe(plain(priced.total));
        expect(plain(sum(priced.charges.map(({ cost }) => cost)))).toBe(plain(priced.total));
        const charged = sum(priced.charges.filter(({ per }) => per !== 1).map((charge) => charge.quantity));
        const reading = tokens(input, output, metadata);
        expect(charged.eq(reading.totalInput.plus(reading.totalOutput))).toBe(true);
      },
    ),
  );
});
