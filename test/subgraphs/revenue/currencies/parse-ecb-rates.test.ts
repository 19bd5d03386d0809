import { describe, expect, it } from 'vitest';
import { parseEcbRates } from '../../../../subgraphs/revenue/currencies/parse-ecb-rates.ts';
import { EASTER } from './ecb-rates.ts';

const TODAY = '2025-04-25';

describe('a file of the European Central Bank', () => {
  it('is read as it is published: days without rates and currencies without a rate are left out', () => {
    const rates = parseEcbRates(EASTER, TODAY);
    expect(rates.filter(({ quote }) => quote === 'USD')).toEqual([
      { quote: 'USD', day: '2025-04-25', rate: '1.1357' },
      { quote: 'USD', day: '2025-04-24', rate: '1.1376' },
      { quote: 'USD', day: '2025-04-23', rate: '1.1415' },
      { quote: 'USD', day: '2025-04-22', rate: '1.1476' },
      { quote: 'USD', day: '2025-04-17', rate: '1.136' },
    ]);
    // 41 columns, of which eleven are N/A.
    expect(rates).toHaveLength(5 * 30);
    expect(rates.some(({ quote }) => quote === 'HRK')).toBe(false);
  });

  it('may be the file of one day, with spaces and a written date', () => {
    expect(parseEcbRates('\uFEFFDate, USD, JPY, \r\n5 April 2025, 1.1057, 161.2, \r\n', TODAY)).toEqual([
      { quote: 'USD', day: '2025-04-05', rate: '1.1057' },
      { quote: 'JPY', day: '2025-04-05', rate: '161.2' },
    ]);
  });

  it.each([
    ['', "file is not the European Central Bank's list of rates"],
    ['<!doctype html>', "file is not the European Central Bank's list of rates"],
    ['Date,USD,usd\n', "file is not the European Central Bank's list of rates"],
    ['Date,USD,USD\n', 'file must name each currency once'],
    [
      'Date,USD,EUR\n2025-04-25,1.1,1.5\n',
      'file must not have a column EUR: its rates are units of each currency for one euro',
    ],
    ['Date,USD\n', 'file contains no rates'],
    ['Date,USD\n2025-04-25,N/A\n', 'file contains no rates'],
    ['Date,USD\n2025-04-26,1.1\n', 'file: line 2 is for 2025-04-26, which is in the future'],
    ['Date,USD\n2025-04-25,1.1\n2025-04-25,1.1\n', 'file: line 3 repeats 2025-04-25'],
    ['Date,USD\n2025-02-29,1.1\n', 'file: line 2 must begin with a day'],
    ['Date,USD\n25/04/2025,1.1\n', 'file: line 2 must begin with a day'],
    ['Date,USD,JPY\n2025-04-25,1.1\n', 'file: line 2 has 1 rates for 2 currencies'],
    ['Date,USD\n2025-04-25,0.00\n', 'file: line 2 has a rate of USD that is not a positive number'],
    ['Date,USD\n2025-04-25,-1.1\n', 'file: line 2 has a rate of USD that is not a positive number'],
    ['Date,USD\n2025-04-25,1e3\n', 'file: line 2 has a rate of USD that is not a positive number'],
    [`Date,USD\n${'\n'.repeat(20_000)}`, 'file must not have more than 20000 lines'],
  ])('is refused if it is %j', (file, message) => {
    expect(() => parseEcbRates(file, TODAY)).toThrow(message);
  });
});
