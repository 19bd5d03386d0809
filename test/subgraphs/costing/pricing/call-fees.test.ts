/** Invariants of fees besides tokens: more of anything never costs less. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { money, type Money, quantity } from '#kernel/money.ts';
import { countBilledTools } from '#usage/counts/count-billed-tools.ts';
import { priceUsage } from '../../../../subgraphs/costing/pricing/price-usage.ts';
import { NO_RATES, type RateCardVersion } from '../../../../subgraphs/costing/rates/rate-card-version.ts';

const version: RateCardVersion = {
  rates: { ...NO_RATES, input: money('3'), output: money('15'), cacheRead: money('0.3'), cacheCreation: money('3.75') },
  tiers: [],
  unitPrices: { web_searches: money('0.01'), storage_searches: money('0.0025'), code_sessions: money('0.03') },
  variants: [
    { context: 'geo=*', class: 'all', aboveInputTokens: 0, rate: null, factor: quantity('1.1'), source: 'a test' },
  ],
  perUnit: null,
  perUnitName: null,
};

function costOf(providerUsage: Readonly<Record<string, unknown>>): Money {
  const usage = providerUsage['usage'] as Readonly<Record<string, number>>;
  const price = priceUsage(
    {
      inputTokens: usage['input_tokens'] ?? 0,
      outputTokens: usage['output_tokens'] ?? 0,
      cacheReadInputTokens: null,
      cacheCreationInputTokens: null,
      reasoningTokens: null,
      costOverride: null,
      units: null,
      metadata: null,
      providerUsage,
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      eventTimeMs: 0,
    },
    { version, providerSlug: 'anthropic' },
  );
  if (price.kind === 'waiting') throw new Error(price.reason);
  return price.priced.total;
}

const count = fc.integer({ min: 0, max: 100_000 });
const usage = fc.record({
  input_tokens: fc.integer({ min: 1, max: 100_000 }),
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
const tools = fc.record({ web_searches: count, storage_searches: count, code_sessions: count });

describe('more never costs less', () => {
  test.each(['web_searches', 'storage_searches', 'code_sessions', 'generated_images', 'maps_prompts'])(
    'more of %s never costs less',
    (name) => {
      fc.assert(
        fc.property(usage, tools, fc.integer({ min: 1, max: 50 }), (tokens, billed, more) => {
          const before = costOf({ usage: tokens, billed_tools: billed });
          const counts: Readonly<Record<string, number>> = billed;
          const after = costOf({ usage: tokens, billed_tools: { ...billed, [name]: (counts[name] ?? 0) + more } });
          expect(after.gte(before)).toBe(true);
        }),
      );
    },
  );

  test.each(['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'])(
    'more of %s never costs less',
    (name) => {
      fc.assert(
        fc.property(usage, fc.integer({ min: 1, max: 50_000 }), (tokens, more) => {
          const counts: Readonly<Record<string, number>> = tokens;
          const after = costOf({ usage: { ...tokens, [name]: counts[name]! + more } });
          expect(after.gte(costOf({ usage: tokens }))).toBe(true);
        }),
      );
    },
  );

  test('a surcharge for a region never makes a call cheaper', () => {
    fc.assert(
      fc.property(usage, tools, (tokens, billed) => {
        const base = costOf({ usage: tokens, billed_tools: billed });
        expect(costOf({ usage: tokens, billed_tools: billed, inference_geo: 'eu' }).gte(base)).toBe(true);
      }),
    );
  });
});

test('an additional tool call never lowers a count', () => {
  const call = fc.constantFrom(
    { type: 'web_search_call', action: { type: 'search' } },
    { type: 'web_search_call', action: { type: 'open_page' } },
    { type: 'file_search_call' },
    { type: 'code_interpreter_call', container_id: 'one' },
    { type: 'code_interpreter_call', container_id: 'two' },
    { type: 'image_generation_call' },
    { type: 'message' },
  );
  fc.assert(
    fc.property(fc.array(call), call, (output, more) => {
      const before = countBilledTools({ output });
      const after = countBilledTools({ output: [...output, more] });
      for (const [name, one] of Object.entries(before)) expect(after[name]).toBeGreaterThanOrEqual(one);
    }),
  );
});

test('only numbers are taken from a response', () => {
  fc.assert(
    fc.property(fc.object(), (body) => {
      for (const value of Object.values(countBilledTools(body))) expect(typeof value).toBe('number');
    }),
  );
});
