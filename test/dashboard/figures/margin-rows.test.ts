import { describe, expect, it } from 'vitest';
import { marginRows } from '../../../dashboard/figures/margin-rows.ts';
import { windowChoice } from '../../../dashboard/figures/window-choice.ts';
import { print } from '../../../dashboard/shell/html.ts';

const WINDOW = windowChoice(new URLSearchParams({ window: '30d' }), new Date('2026-11-01T00:00:00Z'));
const ROW = {
  endUserId: '01890000-0000-7000-8000-000000000001',
  endUserName: 'Ada SARL',
  revenue: '0',
  cost: '30',
  marginAmount: '-30',
  marginPercent: null,
  profitability: 'UNPROFITABLE',
} as const;

describe('a customer without revenue in USD', () => {
  it('is marked "pays nothing", unless there is revenue in other currencies', () => {
    const rows = (types: readonly string[]) =>
      print(marginRows([ROW], WINDOW, { label: 'Customers', warnings: types.map((type) => ({ type })) }));
    expect(rows(['unattributed_cost'])).toContain('<span class="badge">pays nothing</span>');
    expect(rows(['revenue_in_other_currencies'])).toContain('<span class="badge">no revenue in USD</span>');
    expect(rows(['revenue_in_other_currencies'])).not.toContain('pays nothing');
  });
});

describe('a table with a total', () => {
  const customers = [
    { revenue: '1.005', cost: '0.334' },
    { revenue: '2.004', cost: '0.333' },
    { revenue: '0.005', cost: '0.333' },
  ].map((figures) => ({ ...ROW, ...figures }));
  const total = { name: 'Total', revenue: '3.014', cost: '1', marginAmount: '2.014' };
  const cellsOf = (text: string) =>
    text
      .split('<tr')
      .slice(2)
      .map((line) => [...line.matchAll(/>(−?)\$([\d.]+)<\/data>/g)].map(([, sign, digits]) => `${sign}${digits}`));

  it('adds up: a row named Rounding contains the remaining cents, and no customer’s figures change', () => {
    const table = print(marginRows(customers, WINDOW, { label: 'Customers', warnings: [], total }));
    expect(cellsOf(table)).toEqual([
      ['1.01', '0.33', '0.68'],
      ['2.00', '0.33', '1.67'],
      ['0.01', '0.33', '−0.32'],
      ['−0.01', '0.01', '−0.02'],
      ['3.01', '1.00', '2.01'],
    ]);
    // 2.014 of 3.014.
    expect(table.split('<tfoot>')[1]).toContain('66.82%');
    const page = print(marginRows(customers, WINDOW, { label: 'Customers', warnings: [] }));
    expect(cellsOf(page)).toEqual(cellsOf(table).slice(0, 3));
  });

  it('has no row named Rounding if it lists only some customers', () => {
    const some = customers.slice(0, 2);
    expect(print(marginRows(some, WINDOW, { label: 'Customers', warnings: [], total }))).not.toContain('Rounding');
  });
});
