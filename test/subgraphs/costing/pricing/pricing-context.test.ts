/**
 * Everything besides model and tokens that decides a price. It is read once from an event and looked up on the card; an
 * unknown value never silently gets the standard price.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { approximate, money, plain, quantity, sum, ZERO } from '#kernel/money.ts';
import { TOKEN_CLASS_NAMES, type TokenClass } from '#schema/token-classes.ts';
import { priceEvent } from '../../../../subgraphs/costing/pricing/price-event.ts';
import { isWithinHours, readPricingContext } from '../../../../subgraphs/costing/pricing/pricing-context.ts';
import { priceUsage } from '../../../../subgraphs/costing/pricing/price-usage.ts';
import { readTokens } from '#usage/counts/read-tokens.ts';
import { usageSources } from '#usage/counts/usage-sources.ts';
import { pricedKeysOf, statedVariants } from '../../../../subgraphs/costing/rates/stated-rates.ts';
import {
  NO_RATES,
  type RateCardVersion,
  type RateVariant,
} from '../../../../subgraphs/costing/rates/rate-card-version.ts';

const contextOf = (providerUsage: object | null, metadata: object | null = null) =>
  readPricingContext(usageSources(providerUsage, metadata));

test.each<[string, object | null, object | null, string]>([
  ['nothing', null, null, ''],
  ['the standard', { service_tier: 'default' }, null, ''],
  [
    'Anthropic’s standard',
    null,
    { usage: { service_tier: 'standard', inference_geo: 'global', speed: 'standard' } },
    '',
  ],
  ['flex', { service_tier: 'flex' }, null, 'tier=flex'],
  ['in metadata', null, { service_tier: 'priority' }, 'tier=priority'],
  ['batch: true', { batch: true }, null, 'tier=batch'],
  ['fast, in the United States', { usage: { speed: 'fast', inference_geo: 'us' } }, null, 'geo=us,speed=fast'],
  ['Google’s traffic', null, { usageMetadata: { trafficType: 'ON_DEMAND_PRIORITY' } }, 'tier=priority'],
  ['a caller’s own words', null, { speed: 'fast', batch: true }, ''],
  ['Google’s traffic, by the SDK of Python', { usage_metadata: { traffic_type: 'ON_DEMAND_FLEX' } }, null, 'tier=flex'],
  ['Bedrock’s tier', { serviceTier: { type: 'priority' } }, null, 'tier=priority'],
  ['Bedrock’s standard', { serviceTier: { type: 'default' }, performanceConfig: { latency: 'standard' } }, null, ''],
  ['Bedrock’s speed', { performanceConfig: { latency: 'optimized' } }, null, 'latency=optimized'],
  ['how much a search reads', { usage: { search_context_size: 'low' } }, null, 'search=low'],
  ['a tier that is still to be chosen', { service_tier: 'auto' }, null, 'tier=auto'],
])('the context of %s', (_name, providerUsage, metadata, context) => {
  expect(contextOf(providerUsage, metadata)).toBe(context);
});

test.each<[string, string, boolean]>([
  ['hours=0030-1630', '2026-01-01T00:29:59Z', false],
  ['hours=0030-1630', '2026-01-01T00:30:00Z', true],
  ['hours=0030-1630', '2026-01-01T16:30:00Z', false],
  ['hours=2200-0600', '2026-01-01T23:00:00Z', true],
  ['hours=2200-0600', '2026-01-01T06:00:00Z', false],
  ['tier=batch', '2026-01-01T06:00:00Z', false],
  ['hours=0900-2400', '2026-01-01T23:59:59Z', true],
  ['hours=peak', '2026-01-01T06:00:00Z', false],
  // 2026-01-01 is a Thursday.
  ['hours=mon-fri_0900-1800@Asia/Shanghai', '2026-01-01T00:59:59Z', false],
  ['hours=mon-fri_0900-1800@Asia/Shanghai', '2026-01-01T01:00:00Z', true],
  ['hours=mon-fri_0900-1800@Asia/Shanghai', '2026-01-01T10:00:00Z', false],
  ['hours=mon-fri_0900-1800@Asia/Shanghai', '2026-01-03T02:00:00Z', false],
  ['hours=thu_0000-2400@America/New_York', '2026-01-02T04:59:00Z', true],
  ['hours=thu_0000-2400@America/New_York', '2026-01-02T05:00:00Z', false],
  ['hours=thu_2200-0600', '2026-01-02T05:59:00Z', true],
  ['hours=thu_2200-0600', '2026-01-01T05:59:00Z', false],
  ['hours=sat-mon_0000-2400', '2026-01-05T12:00:00Z', true],
  ['hours=sat-mon_0000-2400', '2026-01-06T12:00:00Z', false],
  // Daylight saving time: nine in Berlin is seven or eight o'clock UTC.
  ['hours=0900-1000@Europe/Berlin', '2026-07-01T07:30:00Z', true],
  ['hours=0900-1000@Europe/Berlin', '2026-01-01T07:30:00Z', false],
])('%s at %s', (pair, at, isWithin) => {
  expect(isWithinHours(pair, Date.parse(at))).toBe(isWithin);
});

const variant = (
  context: string,
  name: RateVariant['class'],
  price: { rate?: string; factor?: string; above?: number },
) => ({
  context,
  class: name,
  aboveInputTokens: price.above ?? 0,
  rate: price.rate === undefined ? null : money(price.rate),
  factor: price.factor === undefined ? null : quantity(price.factor),
  source: 'test',
});
const card = (variants: readonly RateVariant[], rates: Partial<Record<TokenClass, string>> = {}): RateCardVersion => ({
  rates: {
    ...NO_RATES,
    ...Object.fromEntries(
      Object.entries({ input: '2', output: '8', cacheRead: '0.5', ...rates }).map(([name, rate]) => [
        name,
        money(rate),
      ]),
    ),
  },
  tiers: [{ ...NO_RATES, aboveInputTokens: 1_000_000, input: money('4') }],
  variants,
  unitPrices: {},
  perUnit: null,
  perUnitName: null,
});
const KEYS = new Set(['tier', 'geo', 'speed']);
const price = (
  version: RateCardVersion,
  context: string,
  counts: { input?: number; output?: number; read?: number; reasoning?: number } = {},
  at = 0,
  unknownAtBase = false,
) => {
  const tokens = readTokens({
    inputTokens: counts.input ?? 1_000_000,
    outputTokens: counts.output ?? 1_000_000,
    cacheReadInputTokens: counts.read ?? null,
    reasoningTokens: counts.reasoning ?? null,
  });
  return priceEvent(tokens, version, null, {}, { context, atMs: at, pricedKeys: KEYS, unknownAtBase });
};
const total = (...args: Parameters<typeof price>) => {
  const priced = price(...args);
  return priced.kind === 'waiting' ? priced.reason : plain(priced.total);
};

describe('a card’s price in a context', () => {
  const BATCH = [variant('tier=batch', 'input', { rate: '1' }), variant('tier=batch', 'output', { factor: '0.5' })];

  test.each<[string, readonly RateVariant[], string, Parameters<typeof price>[2], string]>([
    ['standard', BATCH, '', {}, '10'],
    ['a rate and a factor', BATCH, 'tier=batch', {}, '5'],
    ['a class without a row keeps its own rate', BATCH, 'tier=batch', { read: 1_000_000, output: 0 }, '0.5'],
    [
      'a class without any rate costs what its parent does there',
      BATCH,
      'tier=batch',
      { input: 0, reasoning: 1_000_000 },
      '4',
    ],
    [
      'a pair that the card does not know',
      BATCH,
      'tier=flex',
      {},
      'unknown_context: the rate card has no price for tier=flex',
    ],
    ['a card without contexts', [], 'tier=flex', {}, 'unknown_context: the rate card has no price for tier=flex'],
    ['a key that nobody prices by', BATCH, 'colour=red', {}, '10'],
    [
      'factors of two pairs stack',
      [variant('tier=batch', 'all', { factor: '0.5' }), variant('geo=us', 'all', { factor: '1.1' })],
      'geo=us,tier=batch',
      {},
      '5.5',
    ],
    [
      'both pairs together win',
      [
        variant('tier=batch', 'all', { factor: '0.5' }),
        variant('geo=us', 'all', { factor: '1.1' }),
        variant('geo=us,tier=batch', 'all', { factor: '3' }),
      ],
      'geo=us,tier=batch',
      {},
      '30',
    ],
    [
      'two rates cannot be crossed',
      [variant('tier=batch', 'input', { rate: '1' }), variant('geo=us', 'input', { rate: '3' })],
      'geo=us,tier=batch',
      {},
      'unknown_context: the rate card has no price for geo=us, tier=batch together',
    ],
    [
      'size is a second axis',
      [...BATCH, variant('tier=batch', 'input', { rate: '1.5', above: 1_000_000 })],
      'tier=batch',
      { input: 2_000_000, output: 0 },
      '3',
    ],
    [
      'a row above a size does not hold at that size',
      [...BATCH, variant('tier=batch', 'input', { rate: '1.5', above: 1_000_000 })],
      'tier=batch',
      { input: 1_000_000, output: 0 },
      '1',
    ],
    [
      'and holds from one token more on',
      [...BATCH, variant('tier=batch', 'input', { rate: '1.5', above: 1_000_000 })],
      'tier=batch',
      { input: 1_000_001, output: 0 },
      '1.5000015',
    ],
  ])('is decided by a rule: %s', (_name, variants, context, counts, expected) => {
    expect(total(card(variants), context, counts)).toBe(expected);
  });

  const FAST = variant('geo=us', 'input', { rate: '3' });
  test.each<[string, readonly RateVariant[], string, string, string, string]>([
    ['a pair that the card does not know', BATCH, 'tier=flex', '10', 'tier=flex', 'tier=flex'],
    ['a card without contexts', [], 'tier=flex', '10', 'tier=flex', 'tier=flex'],
    ['what it knows counts', BATCH, 'geo=us,tier=batch', '5', 'geo=us,tier=batch', 'geo=us'],
    [
      'rates that cannot be crossed',
      [...BATCH, FAST],
      'geo=us,tier=batch',
      '10',
      'geo=us,tier=batch',
      'geo=us,tier=batch',
    ],
    ['nothing unknown', BATCH, 'tier=batch', '5', 'tier=batch', ''],
    ['a key that nobody prices by', BATCH, 'colour=red', '10', '', ''],
  ])('at base rates if the organization chose so: %s', (_name, variants, context, cost, pricedAs, unknown) => {
    const priced = price(card(variants), context, {}, 0, true);
    if (priced.kind === 'waiting') throw new Error(priced.reason);
    expect([plain(priced.total), priced.context, priced.unknownContext]).toEqual([cost, pricedAs, unknown]);
    for (const { why } of priced.charges)
      expect(why?.includes('which the organization chose to ignore') ?? false).toBe(unknown !== '');
  });

  test('names the row used', () => {
    const priced = price(card(BATCH), 'tier=batch');
    expect(priced.kind === 'priced' && [priced.context, priced.charges.map(({ item, why }) => [item, why])]).toEqual([
      'tier=batch',
      [
        ['input', 'tier=batch: 1 (test)'],
        ['output', 'tier=batch: times 0.5 (test)'],
      ],
    ]);
  });

  test('an hour of the day is a context of its own', () => {
    const variants = [
      variant('hours=0100-0400', 'input', { rate: '3' }),
      variant('hours=0100-0400', 'output', { rate: '9' }),
    ];
    const at = (time: string) => total(card(variants), '', {}, Date.parse(time));
    expect([at('2026-09-01T00:59:59Z'), at('2026-09-01T01:00:00Z'), at('2026-09-01T04:00:00Z')]).toEqual([
      '10',
      '12',
      '10',
    ]);
  });
});

describe('laws', () => {
  const count = fc.nat(5_000_000);

  test('a variant equal to the base changes nothing', () => {
    const same = [variant('tier=batch', 'all', { factor: '1' }), variant('tier=batch', 'input', { factor: '1' })];
    fc.assert(
      fc.property(count, count, count, count, (input, output, read, reasoning) => {
        const counts = { input, output, read, reasoning };
        expect(total(card(same), 'tier=batch', counts)).toBe(total(card([]), '', counts));
      }),
    );
  });

  test('at base rates, pairs without a price on the card change nothing', () => {
    const known = [variant('geo=us', 'all', { factor: '1.1' })];
    fc.assert(
      fc.property(count, count, count, count, fc.boolean(), (input, output, read, reasoning, isUs) => {
        const counts = { input, output, read, reasoning };
        const [geo, both] = isUs ? ['geo=us', 'geo=us,tier=flex'] : ['', 'tier=flex'];
        const priced = price(card(known), both, counts, 0, true);
        expect(priced.kind === 'priced' && [plain(priced.total), priced.context, priced.unknownContext]).toEqual([
          total(card(known), geo, counts),
          both,
          'tier=flex',
        ]);
        expect(total(card(known), both, counts)).toMatch(/^unknown_context/);
      }),
    );
  });

  test('parts add up to the total in every context, with speech and images', () => {
    const rates = { inputAudio: '40', outputAudio: '80', outputImage: '30' };
    const version = card([variant('tier=batch', 'all', { factor: '0.333333333' })], rates);
    fc.assert(
      fc.property(count, count, count, count, count, count, (input, output, audio, image, spoken, read) => {
        const tokens = readTokens({
          inputTokens: input,
          outputTokens: output,
          providerUsage: {
            prompt_tokens_details: { audio_tokens: audio, image_tokens: image, cached_tokens: read },
            completion_tokens_details: { audio_tokens: spoken },
          },
        });
        const all = Object.values(tokens.quantities);
        expect(all.every((quantity) => quantity.gte(0))).toBe(true);
        const priced = priceEvent(tokens, version, null, {}, { context: 'tier=batch', atMs: 0, pricedKeys: KEYS });
        if (priced.kind === 'waiting') throw new Error(priced.reason);
        const parts = priced.input.plus(priced.output).plus(priced.cacheRead ?? ZERO);
        expect(plain(parts)).toBe(plain(priced.total));
        expect(plain(all.reduce((sum, each) => sum.plus(each)))).toBe(
          plain(tokens.totalInput.plus(tokens.totalOutput)),
        );
      }),
    );
  });

  test('more tokens of another class never lower a cost, in any context', () => {
    const rates = Object.fromEntries(TOKEN_CLASS_NAMES.map((name, index) => [name, `${index + 1}`]));
    const version = card(
      [variant('tier=batch', 'all', { factor: '0.5' }), variant('tier=batch', 'input', { rate: '9' })],
      rates,
    );
    const none = readTokens({ inputTokens: 0, outputTokens: 0 });
    const counts = fc.array(fc.nat(5_000_000), {
      minLength: TOKEN_CLASS_NAMES.length,
      maxLength: TOKEN_CLASS_NAMES.length,
    });
    const cost = (of: readonly number[], context: string) => {
      const quantities = Object.fromEntries(TOKEN_CLASS_NAMES.map((name, index) => [name, quantity(of[index] ?? 0)]));
      const tokens = { ...none, quantities: quantities as typeof none.quantities };
      const priced = priceEvent(tokens, version, null, {}, { context, atMs: 0, pricedKeys: KEYS });
      if (priced.kind === 'waiting') throw new Error(priced.reason);
      return priced.total;
    };
    fc.assert(
      fc.property(
        counts,
        fc.nat(TOKEN_CLASS_NAMES.length - 1),
        fc.nat(1_000_000),
        fc.boolean(),
        (of, index, more, isBatch) => {
          const context = isBatch ? 'tier=batch' : '';
          const added = of.with(index, (of[index] ?? 0) + more);
          expect(cost(added, context).gte(cost(of, context))).toBe(true);
        },
      ),
    );
  });

  test('more speech never lowers a cost', () => {
    const version = card([], { inputAudio: '40', outputAudio: '80' });
    const cost = (audio: number) => {
      const tokens = readTokens({
        inputTokens: 1_000,
        outputTokens: 1_000,
        providerUsage: { prompt_tokens_details: { audio_tokens: audio } },
      });
      const priced = priceEvent(tokens, version, null, {});
      return priced.kind === 'priced' ? priced.total : money('-1');
    };
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(2_000), (one, more) => {
        expect(cost(one + more).gte(cost(one))).toBe(true);
      }),
    );
  });
});

describe('non-text tokens', () => {
  const usage = (details: object) => ({
    inputTokens: 1_000,
    outputTokens: 1_000,
    costOverride: null,
    units: null,
    metadata: null,
    cacheCreationInputTokens: null,
    cacheReadInputTokens: null,
    reasoningTokens: null,
    provider: 'openai',
    model: 'gpt-4o-audio-preview',
    eventTimeMs: 0,
    providerUsage: details as Record<string, unknown>,
  });
  const spoken = usage({
    prompt_tokens_details: { audio_tokens: 900, text_tokens: 100 },
    completion_tokens_details: { audio_tokens: 900, text_tokens: 100 },
  });

  test('speech is priced as speech', () => {
    const version = card([], { input: '2.5', output: '10', inputAudio: '40', outputAudio: '80' });
    const result = priceUsage(spoken, { version, providerSlug: 'openai' });
    expect(result.kind === 'priced' && plain(result.priced.total)).toBe('0.10925');
  });

  test('speech waits if the card has no rate for it', () => {
    expect(priceUsage(spoken, { version: card([]), providerSlug: 'openai' })).toEqual({
      kind: 'waiting',
      reason: 'The rate card has no rate for: input_audio, output_audio',
    });
  });

  test.each<[string, object, string]>([
    ['what a router took', { cost: 0.01, is_byok: false, cost_details: {} }, 'openai-chat'],
    ['another cost of a router', { cost: 0.016, is_byok: false, cost_details: {} }, 'guessed'],
    [
      'by a key of one’s own',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.01 } },
      'openai-chat',
    ],
    [
      'by a key of one’s own, for which the router takes a fee',
      { cost: 0.0005, is_byok: true, cost_details: { upstream_inference_cost: 0.01 } },
      'guessed',
    ],
    ['ticks of xAI', { cost_in_usd_ticks: 100_000_000 }, 'openai-chat'],
    ['other ticks of xAI', { cost_in_usd_ticks: 130_000_000 }, 'guessed'],
    ['Perplexity’s total', { cost: { total_cost: 0.015 } }, 'guessed'],
    ['rounded', { cost: 0.0101, is_byok: false }, 'openai-chat'],
    ['a cost next to the counts', { cost: 0.01 }, 'openai-chat'],
    ['another cost next to the counts', { cost: 0.016 }, 'guessed'],
    ['DeepInfra’s estimate', { estimated_cost: 0.016 }, 'guessed'],
  ])('a cost stated by the provider is compared and never booked: %s', (_name, stated, reading) => {
    const body = { usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000, ...stated } };
    const result = priceUsage(usage(body), { version: card([]), providerSlug: 'openai' });
    if (result.kind === 'waiting') throw new Error(result.reason);
    expect([plain(result.priced.total), result.tokens.name]).toEqual(['0.01', reading]);
    expect(result.tokens.output.why.includes('the provider states a cost of')).toBe(reading === 'guessed');
  });

  test.each<[string, object, Readonly<Record<string, string>>, boolean]>([
    ['searches', { server_tool_use: { web_search_requests: 3 } }, {}, true],
    ['none', { server_tool_use: { web_search_requests: 0 } }, {}, false],
    ['searches that have a price', { server_tool_use: { web_search_requests: 3 } }, { web_searches: '0.01' }, false],
    ['sources of xAI', { num_sources_used: 12 }, {}, true],
    ['whose cost the provider states', { num_sources_used: 12, cost_in_usd_ticks: 100_000_000 }, {}, false],
  ])('a billed unit without a price on the card is flagged: %s', (_name, counted, prices, isFlagged) => {
    const body = { usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000, ...counted } };
    const unitPrices = Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, money(price)]));
    const result = priceUsage(usage(body), { version: { ...card([]), unitPrices }, providerSlug: 'openai' });
    if (result.kind === 'waiting') throw new Error(result.reason);
    expect(result.tokens.name === 'guessed').toBe(isFlagged);
    expect(result.tokens.output.why.includes('no price for: ')).toBe(isFlagged);
  });

  test('Gemini’s lists are read, images at the price of text, cached ones separately', () => {
    const { quantities } = readTokens({
      inputTokens: 1_000,
      outputTokens: 100,
      metadata: {
        usageMetadata: {
          promptTokenCount: 1_000,
          cachedContentTokenCount: 300,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 400 },
            { modality: 'AUDIO', tokenCount: 500 },
            { modality: 'DOCUMENT', tokenCount: 100 },
          ],
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 200 }],
        },
      },
    });
    const counts = Object.fromEntries(Object.entries(quantities).map(([name, each]) => [name, approximate(each)]));
    expect(counts).toMatchObject({ input: 300, cacheRead: 100, inputAudio: 300, cacheReadAudio: 200, inputImage: 100 });
  });

  describe('work outside the sums of the usage', () => {
    const iterations = [
      { type: 'message', model: 'gpt-4o-audio-preview', input_tokens: 600, output_tokens: 100 },
      {
        type: 'advisor_message',
        model: 'claude-opus-5',
        input_tokens: 1_000,
        cache_read_input_tokens: 500,
        output_tokens: 10,
      },
      { type: 'compaction', input_tokens: 2_000, output_tokens: 50 },
    ];
    const own = { version: card([]), providerSlug: 'anthropic' };
    const advisor = {
      version: { ...card([]), rates: { ...NO_RATES, input: money('5'), output: money('25') } },
      providerSlug: 'anthropic',
    };
    const linesOf = (others: ReadonlyMap<string, typeof advisor | null>, more: object = {}) => {
      const result = priceUsage(usage({ usage: { iterations }, ...more }), { ...own, others });
      return result.kind === 'waiting'
        ? result.reason
        : result.priced.charges.map(({ item, model, quantity, why }) => [item, model, plain(quantity), why]);
    };

    test('is a separate line for its own model; parts add up to the total', () => {
      const result = priceUsage(usage({ iterations }), { ...own, others: new Map([['claude-opus-5', advisor]]) });
      if (result.kind === 'waiting') throw new Error(result.reason);
      const { priced } = result;
      expect(
        priced.charges.slice(2).map(({ item, model, quantity, why }) => [item, model, plain(quantity), why]),
      ).toEqual([
        ['input', 'claude-opus-5', '1000', 'advisor_message'],
        ['output', 'claude-opus-5', '10', 'advisor_message'],
        ['cache_read', 'claude-opus-5', '500', 'advisor_message'],
        ['input', undefined, '2000', 'compaction'],
        ['output', undefined, '50', 'compaction'],
      ]);
      expect(plain(priced.total)).toBe(plain(sum(priced.charges.map(({ cost }) => cost))));
      expect(plain(priced.total)).toBe(
        plain(
          sum([
            priced.input,
            priced.output,
            ...[priced.cacheRead, priced.cacheCreation, priced.reasoning, priced.units].flatMap((one) => one ?? []),
          ]),
        ),
      );
    });

    test('waits for a card of the other model, and names the unknown context', () => {
      expect(linesOf(new Map([['claude-opus-5', null]]))).toMatch(/^other_models: .* claude-opus-5 /);
      expect(linesOf(new Map())).toMatch(/^other_models: .* claude-opus-5 /);
    });
  });
});

const JUNE = Date.parse('2026-06-01');

describe('hand-written prices', () => {
  test('are per model: a pro model has no batch price', () => {
    expect(
      statedVariants('openai', 'gpt-5.6-sol', JUNE).map(({ context, class: name }) => `${context} ${name}`),
    ).toEqual(['tier=batch all', 'tier=flex all', 'geo=* all', 'region=* all']);
    expect(statedVariants('openai', 'gpt-5.5-pro', JUNE).map(({ context }) => context)).toEqual(['geo=*', 'region=*']);
    expect(statedVariants('anthropic', 'claude-opus-4-6', JUNE).map(({ context }) => context)).toEqual([
      'tier=batch',
      'geo=us',
      'speed=fast',
      'region=*',
    ]);
  });

  test('list the keys by which a provider prices', () => {
    expect([...pricedKeysOf('anthropic')].sort()).toEqual(['geo', 'region', 'speed', 'tier']);
    expect([...pricedKeysOf('azure')]).toEqual(['tier', 'geo', 'region', 'partition']);
    expect([...pricedKeysOf('aws'), ...pricedKeysOf('openrouter')]).toEqual(['tier', 'partition', 'latency', 'tier']);
    expect([...pricedKeysOf('perplexity')]).toEqual([]);
    expect([...pricedKeysOf('deepseek'), ...pricedKeysOf(null)]).toEqual([]);
  });
});
