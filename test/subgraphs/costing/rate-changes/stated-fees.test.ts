/** Fees stated by hand apply between their first day and the day after their last. */
import { expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { feeSpans, statedFees, type StatedFee } from '../../../../subgraphs/costing/rate-changes/stated-fees.ts';

const row = { provider: 'acme', models: /^acme-/, source: 'test', date: '2026-11-26' };
const FEES: readonly StatedFee[] = [
  { ...row, fees: { web_searches: '0.01', code_sessions: '0.03' } },
  { ...row, fees: { web_searches: '0.02' }, from: '2026-10-01', until: '2026-11-01' },
  { ...row, fees: { maps_prompts: '0.025' }, until: '2026-10-01' },
  { ...row, provider: 'other', fees: { web_searches: '1' }, from: '2026-01-01' },
];

it.each<[string, object]>([
  ['2026-09-30T23:59:59Z', { web_searches: '0.01', code_sessions: '0.03', maps_prompts: '0.025' }],
  ['2026-10-01T00:00:00Z', { web_searches: '0.02', code_sessions: '0.03' }],
  ['2026-10-31T23:59:59Z', { web_searches: '0.02', code_sessions: '0.03' }],
  ['2026-11-01T00:00:00Z', { web_searches: '0.01', code_sessions: '0.03' }],
])('at %s', (at, fees) => {
  const found = statedFees('acme', 'acme-1', Date.parse(at), FEES);
  expect(Object.fromEntries(Object.entries(found).map(([name, fee]) => [name, plain(fee)]))).toEqual(fees);
});

it('a card has a version for each period of its fees', () => {
  expect(feeSpans('acme', 'acme-1', FEES).map(({ from, until }) => [from, until])).toEqual([
    ['2026-10-01', '2026-11-01'],
    [undefined, '2026-10-01'],
  ]);
  expect(feeSpans('acme', 'else', FEES)).toEqual([]);
});
