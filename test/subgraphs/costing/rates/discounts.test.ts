/** Which discount applies to a price at an instant, and when that changes. */
import { expect, it } from 'vitest';
import { plain, quantity } from '#kernel/money.ts';
import {
  type Discount,
  discountAt,
  discountsOf,
  nextChange,
} from '../../../../subgraphs/costing/rates/discounts/discount.ts';

const DAY = 86_400_000;
const discount = (percent: number, more: Partial<Discount> = {}): Discount => ({
  ...{ agreement: `${percent} %`, providerSlug: 'openai', models: null, classes: null, percent: quantity(percent) },
  ...{ fromMs: 0, untilMs: null, ...more },
});
const factorAt = (discounts: readonly Discount[], atMs: number, item = 'input') => {
  const found = discountAt(discounts, item, atMs);
  return found && [plain(found.factor), found.discount.agreement];
};

it('a discount applies from its first instant until the one at which it ends', () => {
  const dated = [discount(20, { fromMs: DAY, untilMs: 2 * DAY })];
  expect([DAY - 1, DAY, 2 * DAY - 1, 2 * DAY].map((at) => factorAt(dated, at))).toEqual([
    ...[null, ['0.8', '20 %'], ['0.8', '20 %'], null],
  ]);
});

it('a class gets the largest of its discounts', () => {
  const all = [discount(10), discount(30, { classes: ['output'] }), discount(20)];
  expect([factorAt(all, 0), factorAt(all, 0, 'output')]).toEqual([
    ['0.8', '20 %'],
    ['0.7', '30 %'],
  ]);
});

it('discounts change next when a later one begins or a current one ends', () => {
  const all = [discount(10, { fromMs: DAY, untilMs: 3 * DAY }), discount(20, { fromMs: 2 * DAY })];
  expect([0, DAY, DAY + 1, 2 * DAY, 3 * DAY].map((at) => nextChange(all, at))).toEqual([
    ...[DAY, 2 * DAY, 2 * DAY, 3 * DAY, Number.POSITIVE_INFINITY],
  ]);
});

it('a discount applies only to standard cards of its provider and models', () => {
  const card = { organizationId: null, providerSlug: 'openai', modelSlug: 'GPT-5', names: ['gpt-5-2026'] };
  const applies = (of: Partial<Discount>, to: object = {}) =>
    discountsOf([discount(10, of)], { ...card, ...to } as never).length === 1;
  expect([applies({}), applies({ models: ['gpt-5'] }), applies({ models: ['gpt-5-2*'] })]).toEqual([true, true, true]);
  expect([applies({ models: ['gpt'] }), applies({ providerSlug: 'azure' })]).toEqual([false, false]);
  expect(applies({}, { organizationId: 'own' })).toBe(false);
});
