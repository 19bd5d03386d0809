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
  it('pays nothing, unless there is revenue in other currencies', () => {
    const rows = (types: readonly string[]) =>
      print(marginRows([ROW], WINDOW, { label: 'Customers', warnings: types.map((type) => ({ type })) }));
    expect(rows(['unattributed_cost'])).toContain('<span class="badge">pays nothing</span>');
    expect(rows(['revenue_in_other_currencies'])).toContain('<span class="badge">no revenue in USD</span>');
    expect(rows(['revenue_in_other_currencies'])).not.toContain('pays nothing');
  });
});
