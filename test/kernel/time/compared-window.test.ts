import { describe, expect, it } from 'vitest';
import { type ComparedPeriod, comparedWindow } from '#kernel/time/compared-window.ts';
import { parseWindow } from '#kernel/time/window.ts';

const compared = (start: string, end: string, period: ComparedPeriod) => {
  const window = comparedWindow(parseWindow({ start, end }), period);
  return [window.start.iso, window.end.iso];
};
const at = (day: string) => `2026-${day}T00:00:00.000Z`;

describe('the comparison window', () => {
  it.each([
    ['as long, just before', '2026-03-10', '2026-03-17', 'PREVIOUS', [at('03-03'), at('03-10')]],
    ['as many months, of whole months', '2026-03-01', '2026-05-01', 'PREVIOUS', [at('01-01'), at('03-01')]],
    [
      'to the microsecond',
      '2026-03-10T00:00:00.000001Z',
      '2026-03-11',
      'PREVIOUS',
      ['2026-03-09T00:00:00.000002Z', '2026-03-10T00:00:00.000001Z'],
    ],
    ['the same dates a month ago', '2026-03-10', '2026-03-17', 'MONTH_AGO', [at('02-10'), at('02-17')]],
    ['a whole month, a month ago', '2026-03-01', '2026-04-01', 'MONTH_AGO', [at('02-01'), at('03-01')]],
    ['of a longer month at most its last day', '2026-03-20', '2026-03-31', 'MONTH_AGO', [at('02-20'), at('02-28')]],
    [
      'the same microseconds a month ago',
      '2026-03-10T00:00:00.000123Z',
      '2026-03-17',
      'MONTH_AGO',
      ['2026-02-10T00:00:00.000123Z', at('02-17')],
    ],
    ['a year ago', '2027-03-10', '2027-03-17', 'YEAR_AGO', [at('03-10'), at('03-17')]],
  ] as const)('is %s', (_name, start, end, period, expected) => {
    expect(compared(start, end, period)).toEqual(expected);
  });

  it.each([
    ['that is empty', '2026-03-30', '2026-03-31', 'MONTH_AGO', /The earlier month is too short/],
    ['before 1970', '1970-01-02', '1970-02-01', 'YEAR_AGO', /1970/],
  ] as const)('one %s is an error', (_name, start, end, period, message) => {
    expect(() => compared(start, end, period)).toThrow(message);
  });
});
