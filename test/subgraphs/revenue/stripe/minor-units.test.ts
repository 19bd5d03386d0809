/** Decimals of currencies as Stripe lists them ("Supported currencies"): ISK and UGX are sent with two, which are always 00. */
import { expect, it } from 'vitest';
import { money, plain } from '#kernel/money.ts';
import { fromMinorUnits, toMinorUnits } from '../../../../subgraphs/revenue/stripe/minor-units.ts';

it.each([
  [0, '1250', 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'],
  [2, '12.5', 'usd eur gbp isk ugx huf twd'],
  [3, '1.25', 'bhd jod kwd omr tnd'],
])('%i decimals: 1250 is %s', (_, major, currencies) => {
  for (const currency of currencies.split(' ')) {
    expect([currency, plain(fromMinorUnits(1_250n, currency))]).toEqual([currency, major]);
    expect([currency, toMinorUnits(money(major), currency)]).toEqual([currency, 1_250n]);
  }
});
