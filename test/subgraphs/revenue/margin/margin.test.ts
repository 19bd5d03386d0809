import { describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { marginOf } from '../../../../subgraphs/revenue/margin/margin.ts';

describe('a margin', () => {
  it.each([
    ['100', '79.99', '20.01', 20.01, 'profitable'],
    ['100', '80', '20', 20, 'break-even'],
    ['100', '79.999999999999999', '20.000000000000001', 20, 'profitable'],
    ['100', '100', '0', 0, 'break-even'],
    ['100', '100.000000000000001', '-0.000000000000001', 0, 'unprofitable'],
    ['100', '0', '100', 100, 'profitable'],
    ['3', '1', '2', 66.67, 'profitable'],
    ['0', '0', '0', null, 'break-even'],
    ['0', '0.000000000000001', '-0.000000000000001', null, 'unprofitable'],
    ['8', '9', '-1', -12.5, 'unprofitable'],
    ['-10', '5', '-15', null, 'unprofitable'],
    ['-10', '0', '-10', null, 'unprofitable'],
  ])('a margin of revenue %s and cost %s', (revenue, cost, expected, percent, category) => {
    const margin = marginOf(amount(revenue), amount(cost));
    expect({ ...margin, amount: plain(margin.amount) }).toEqual({ amount: expected, percent, category });
  });
});
