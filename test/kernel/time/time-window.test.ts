import { expect, test } from 'vitest';
import { isTimeWindow, TIME_WINDOWS } from '../../../kernel/time/time-window.ts';

test('the contract names seven, the default first', () => {
  expect(TIME_WINDOWS).toEqual([
    'current-period',
    'last-period',
    'last-7-days',
    'last-30-days',
    'last-90-days',
    'ytd',
    'last-year',
  ]);
  expect(TIME_WINDOWS.every(isTimeWindow)).toBe(true);
});

test.each(['', 'last-8-days', 'YTD', 'constructor', '__proto__', null, ['ytd'], 7])('%s is no window', (value) => {
  expect(isTimeWindow(value)).toBe(false);
});
