/** Two versions are the same price if nothing that they charge differs. */
import { describe, expect, it } from 'vitest';
import { money, quantity } from '#kernel/money.ts';
import { byRate, TOKEN_CLASS_NAMES } from '#schema/token-classes.ts';
import { chargeKey, versionKey } from '../../../../../subgraphs/costing/rates/corrections/version-key.ts';
import type { RateCardVersion, RateVariant } from '../../../../../subgraphs/costing/rates/rate-card-version.ts';

const RATES = byRate(() => money('1'));
const BATCH: RateVariant = {
  context: 'tier=batch',
  class: 'all',
  aboveInputTokens: 0,
  rate: null,
  factor: quantity('0.5'),
  source: 'the price list',
};
const FLEX: RateVariant = { ...BATCH, context: 'tier=flex', class: 'input', rate: money('2'), factor: null };
const VERSION: RateCardVersion = {
  rates: RATES,
  tiers: [
    { ...RATES, aboveInputTokens: 100 },
    { ...RATES, aboveInputTokens: 200 },
  ],
  variants: [BATCH, FLEX],
  unitPrices: { requests: money('0.01'), web_searches: money('0.02') },
  perUnit: money('3'),
  perUnitName: 'page',
};
const [SMALL, LARGE] = VERSION.tiers;

describe('versions differ', () => {
  const variants = (more: Partial<RateVariant>) => ({ variants: [{ ...BATCH, ...more }, FLEX] });
  it.each<[string, Partial<RateCardVersion>]>([
    ...TOKEN_CLASS_NAMES.map((name): [string, Partial<RateCardVersion>] => [
      `the rate of ${name}`,
      { rates: { ...RATES, [name]: money('2') } },
    ]),
    ...TOKEN_CLASS_NAMES.map((name): [string, Partial<RateCardVersion>] => [
      `the rate of ${name} above a size`,
      { tiers: [SMALL!, { ...LARGE!, [name]: null }] },
    ]),
    ['a size', { tiers: [SMALL!, { ...LARGE!, aboveInputTokens: 201 }] }],
    ['a missing size', { tiers: [SMALL!] }],
    ['a context', variants({ context: 'tier=fast' })],
    ['the class of a context', variants({ class: 'output' })],
    ['the size of a context', variants({ aboveInputTokens: 1 })],
    ['the factor of a context', variants({ factor: quantity('0.6') })],
    ['a rate instead of a factor', variants({ factor: null, rate: money('0.5') })],
    ['a missing context', { variants: [FLEX] }],
    ['the price of a unit', { unitPrices: { ...VERSION.unitPrices, requests: money('0.03') } }],
    ['the name of a unit', { unitPrices: { requests: money('0.01'), web_search: money('0.02') } }],
    ['the price per unit', { perUnit: money('4') }],
    ['the unit', { perUnitName: 'image' }],
  ])('in %s', (_, more) => {
    const other = { ...VERSION, ...more };
    expect(versionKey(other)).not.toBe(versionKey(VERSION));
    expect(chargeKey(other)).not.toBe(chargeKey(VERSION));
  });
});

it('the order of sizes, contexts and units does not matter', () => {
  const reversed: RateCardVersion = {
    ...VERSION,
    tiers: [LARGE!, SMALL!],
    variants: [FLEX, BATCH],
    unitPrices: { web_searches: money('0.02'), requests: money('0.01') },
  };
  expect(versionKey(reversed)).toBe(versionKey(VERSION));
  expect(chargeKey(reversed)).toBe(chargeKey(VERSION));
});

it('another source of the same price is another version, but not another charge', () => {
  const other = { ...VERSION, variants: [{ ...BATCH, source: 'an invoice' }, FLEX] };
  expect(versionKey(other)).not.toBe(versionKey(VERSION));
  expect(chargeKey(other)).toBe(chargeKey(VERSION));
});
