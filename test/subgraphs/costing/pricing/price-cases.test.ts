/**
 * 170 calls with a known cost (vendors' bills, recorded responses, other projects' tests), checked against the pricing
 * rules.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { approximate, money, plain, quantity, type Quantity, ZERO } from '#kernel/money.ts';
import { priceEvent } from '../../../../subgraphs/costing/pricing/price-event.ts';
import type { PricedEvent } from '../../../../subgraphs/costing/pricing/price-event.ts';
import {
  NO_RATES,
  type RateCardVersion,
  type TokenRates,
} from '../../../../subgraphs/costing/rates/rate-card-version.ts';
import { readTokens, type TokenReading } from '#usage/counts/read-tokens.ts';
import { tokenQuantities } from '#usage/counts/token-quantities.ts';
import { readUnitCounts } from '#usage/counts/read-units.ts';

type Rates = {
  [name in 'input' | 'output' | 'cache_read' | 'cache_creation' | 'cache_creation_1h' | 'reasoning']?: string;
};
type Case = {
  id: string;
  model: string;
  usage: Record<string, number | string | null>;
  native_event: { input_tokens: number; output_tokens: number; metadata: Record<string, unknown> } | null;
  rates_usd_per_million: Rates & {
    tiers?: (Rates & { over_input_tokens: number })[];
    per_unit?: Record<string, { usd: string; per: number } | null>;
  };
  expected: { total_usd: string; input_usd?: string | null; output_usd?: string | null };
  abs_tolerance_usd: string;
  in_scope: boolean;
};

const file = new URL('./cost-cases.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };
const inScope = cases.filter((one) => one.in_scope);

describe('cost of the inclusive usage', () => {
  test.each(inScope.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { usage } = one;
    const totals = {
      input: quantity(usage['input_tokens'] ?? 0),
      output: quantity(usage['output_tokens'] ?? 0),
      cacheRead: optional(usage['cache_read_input_tokens']),
      cacheCreation: optional(usage['cache_creation_input_tokens']),
      cacheCreation1h: optional(usage['cache_creation_1h_input_tokens']),
      reasoning: optional(usage['reasoning_tokens']),
    };
    const reading: TokenReading = {
      name: 'normalized',
      counts: {
        input: Number(totals.input),
        output: Number(totals.output),
        cacheRead: numberOrNull(totals.cacheRead),
        cacheCreation: numberOrNull(totals.cacheCreation),
        reasoning: numberOrNull(totals.reasoning),
      },
      quantities: tokenQuantities(totals),
      totalInput: totals.input,
      totalOutput: totals.output,
      input: { reading: 'inclusive', why: 'given' },
      output: { reading: 'inclusive', why: 'given' },
    };
    expectCost(one, price(reading, one));
  });
});

describe('cost of the same usage, sent as an event', () => {
  const whole = inScope.filter(({ usage }) => Object.values(usage).every((count) => typeof count !== 'string'));

  test.each(whole.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { usage } = one;
    const metadata = {
      ...usage,
      cache_creation: { ephemeral_1h_input_tokens: usage['cache_creation_1h_input_tokens'] },
    };
    const reading = readTokens({
      inputTokens: Number(usage['input_tokens']),
      outputTokens: Number(usage['output_tokens']),
      metadata,
    });
    expectCost(one, price(reading, one));
  });
});

describe('cost of the event with the vendor’s own counts', () => {
  const native = inScope.filter((one) => one.native_event);

  test.each(native.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { input_tokens: inputTokens, output_tokens: outputTokens, metadata } = one.native_event!;
    expectCost(one, price(readTokens({ inputTokens, outputTokens, metadata }), one));
  });
});

test('the file has every case of the collection', () => {
  expect(cases).toHaveLength(170);
  expect(inScope).toHaveLength(162);
});

function price(reading: TokenReading, one: Case): PricedEvent {
  const version = versionOf(one);
  const priced = priceEvent(reading, version, null, readUnitCounts(Object.keys(version.unitPrices), one.usage));
  if (priced.kind === 'waiting') throw new Error(priced.reason);
  return priced;
}

function expectCost(one: Case, priced: PricedEvent): void {
  const { total_usd: total, input_usd: input, output_usd: output } = one.expected;
  if (one.abs_tolerance_usd === '0') expect(plain(priced.total)).toBe(plain(money(total)));
  expect(priced.total.minus(money(total)).abs().lte(money(one.abs_tolerance_usd))).toBe(true);
  const inputSide = priced.input.plus(priced.cacheRead ?? ZERO).plus(priced.cacheCreation ?? ZERO);
  const outputSide = priced.output.plus(priced.reasoning ?? ZERO);
  expect(plain(inputSide.plus(outputSide).plus(priced.units ?? ZERO))).toBe(plain(priced.total));
  if (one.abs_tolerance_usd !== '0') return;
  if (input) expect(plain(inputSide)).toBe(plain(money(input)));
  if (output) expect(plain(outputSide)).toBe(plain(money(output)));
}

function versionOf({ rates_usd_per_million: card }: Case): RateCardVersion {
  const units = Object.entries(card.per_unit ?? {}).flatMap(([name, unit]) =>
    unit ? [[name, money(unit.usd).div(unit.per)] as const] : [],
  );
  return {
    rates: ratesOf(card),
    tiers: (card.tiers ?? []).map((tier) => ({ ...ratesOf(tier), aboveInputTokens: tier.over_input_tokens })),
    unitPrices: Object.fromEntries(units),
    perUnit: null,
    perUnitName: null,
  };
}

function ratesOf(card: Rates): TokenRates {
  const rate = (text?: string) => (text === undefined ? null : money(text));
  return {
    ...NO_RATES,
    input: rate(card.input),
    output: rate(card.output),
    cacheCreation: rate(card.cache_creation),
    cacheCreation1h: rate(card.cache_creation_1h),
    cacheRead: rate(card.cache_read),
    reasoning: rate(card.reasoning),
  };
}

function optional(count: number | string | null | undefined): Quantity | null {
  return count === null || count === undefined ? null : quantity(count);
}

function numberOrNull(count: Quantity | null): number | null {
  return count === null ? null : approximate(count);
}
