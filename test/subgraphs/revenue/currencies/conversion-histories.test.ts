/** Random rates, invoices, refunds and corrections, compared with a model in whole numbers. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import type { EndUserCostDays } from '#schema/end-user-cost-days.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { addCreditNote, addDispute, addRefund } from '../../../../packages/stripe-stand-in/reversals.ts';
import { importFxRates } from '../../../../subgraphs/revenue/currencies/import-fx-rates.operation.ts';
import { rateBook, rateOfDay } from '../../../../subgraphs/revenue/currencies/rate-of-day.ts';
import { setOrganizationCurrency } from '../../../../subgraphs/revenue/currencies/set-organization-currency.operation.ts';
import { verifyRevenue } from '../../../../subgraphs/revenue/conversion/verify-revenue.operation.ts';
import { compareInCurrency } from '../../../../subgraphs/revenue/margin/compare-in-currency.operation.ts';
import { closeRevenue } from '../../../../subgraphs/revenue/records/close-revenue.operation.ts';
import { runs } from '../../../support/property-runs.ts';
import { at, type RevenueService, startRevenue } from '../revenue-builder.ts';

const DECIMALS: Readonly<Record<string, number>> = { usd: 2, jpy: 0, eur: 2 };
/** March and April 2025. */
const DAYS = Array.from({ length: 61 }, (_, day) => new Date(Date.UTC(2025, 2, 1 + day)).toISOString().slice(0, 10));
const DAYS_BACK = 7;

/** Units per euro as whole ten-thousandths, by day; 0 for a day without rates. */
type Rates = readonly { readonly usd: number; readonly jpy: number }[];

const rates: fc.Arbitrary<Rates> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        usd: fc.integer({ min: 9_000, max: 16_000 }),
        jpy: fc.integer({ min: 900_000, max: 1_999_999 }),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ usd: 0, jpy: 0 }) },
  ),
  { minLength: DAYS.length, maxLength: DAYS.length },
);

const invoice = fc.record({
  currency: fc.constantFrom('usd', 'jpy', 'eur'),
  minor: fc.integer({ min: 1, max: 10_000_000 }),
  day: fc.integer({ min: 0, max: DAYS.length - 1 }),
  lengthDays: fc.integer({ min: 0, max: 40 }),
  refund: fc.option(fc.integer({ min: 1, max: 10_000_000 })),
});

const history = fc.record({
  rates,
  corrected: rates,
  invoices: fc.array(invoice, { minLength: 1, maxLength: 8 }),
  later: fc.array(invoice, { maxLength: 4 }),
  costs: fc.array(fc.integer({ min: 0, max: 99_999_999 }), { minLength: DAYS.length, maxLength: DAYS.length }),
  closes: fc.boolean(),
});

const fileOf = (days: Rates) =>
  `Date,USD,JPY,\n${days.map(({ usd, jpy }, index) => (usd === 0 ? `${DAYS[index]},N/A,N/A,` : `${DAYS[index]},${usd / 10_000},${jpy / 10_000},`)).join('\n')}\n`;

/** The rates known after a correction: days without a corrected rate keep theirs. */
const afterwards = (before: Rates, corrected: Rates): Rates =>
  before.map((old, index) => (corrected[index]!.usd === 0 ? old : corrected[index]!));

interface Fraction {
  readonly digits: bigint;
  readonly scale: bigint;
}

/** `to / from` with twelve significant digits, half up. */
function crossRate(from: number, to: number): Fraction {
  let scale = 1n;
  const [above, below] = [BigInt(to), BigInt(from)];
  while (above * scale < below * 10n ** 11n) scale *= 10n;
  return { digits: (2n * above * scale + below) / (2n * below), scale };
}

/** Into euros; null without a rate in the eight days up to it. */
function rateInModel(days: Rates, currency: string, day: number): Fraction | null {
  if (currency === 'eur') return { digits: 1n, scale: 1n };
  for (let back = 0; back <= DAYS_BACK && back <= day; back++) {
    const { usd, jpy } = days[day - back]!;
    if (usd !== 0) return crossRate(currency === 'usd' ? usd : jpy, 10_000);
  }
  return null;
}

/** In units of 10⁻¹⁵, half away from zero. */
function times(value: bigint, decimals: number, { digits, scale }: Fraction): bigint {
  const [above, below] = [value * digits * 10n ** 15n, scale * 10n ** BigInt(decimals)];
  const rounded = (2n * (above < 0n ? -above : above) + below) / (2n * below);
  return above < 0n ? -rounded : rounded;
}

describe('amounts in the reporting currency', () => {
  let service: RevenueService;
  beforeEach(async () => {
    service = await startRevenue();
  });
  afterEach(() => service.close());

  async function margin(start: string, end: string, costs: readonly number[]) {
    const costDays: EndUserCostDays = {
      days: DAYS,
      endUsers: [],
      unassigned: {
        count: 1,
        costs: costs.flatMap((cents, day) =>
          DAYS[day]! >= start && DAYS[day]! < end ? [[day, plain(amount(`${cents}`) / 1_000_000n)] as const] : [],
        ),
      },
    };
    const window = parseWindow({ start: `${start}T00:00:00Z`, end: `${end}T00:00:00Z` });
    const found = await compareInCurrency(service.context, window, costDays);
    return { revenue: amount(String(found.totalRevenue.amount)), cost: amount(String(found.totalCost.amount)) };
  }

  it('add up to each line times the rate of its invoice, and closed months keep their rates', async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ rates: known, corrected, invoices, later, costs, closes }) => {
        await service.close();
        service = await startRevenue();
        const customer = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
        const operator = { database: service.database, principal: service.context.principal };
        await importFxRates(operator, {
          file: fileOf(known.map((day, index) => (index === 0 ? { usd: 11_000, jpy: 1_600_000 } : day))),
          source: 'ecb',
        });
        const first: Rates = [{ usd: 11_000, jpy: 1_600_000 }, ...known.slice(1)];
        await setOrganizationCurrency(service.context, { currency: 'EUR' });
        await service.connect();

        let revenueInModel = 0n;
        const book = async (drafts: typeof invoices, days: Rates) => {
          const refunds = drafts.flatMap(({ currency, minor, day, lengthDays, refund }) => {
            const start = at(`${DAYS[day]}T00:00:00Z`);
            const line = { amount: minor, start, end: start + lengthDays * 86_400 };
            const id = addInvoice(service.standIn.account, { customer, currency, created: start, lines: [line] });
            const rate = rateInModel(days, currency, day);
            const back = refund === null ? 0 : Math.min(refund, minor);
            if (rate !== null) revenueInModel += times(BigInt(minor - back), DECIMALS[currency]!, rate);
            return back === 0 ? [] : [{ id, back }];
          });
          await service.sync();
          await service.convert();
          return async () => {
            for (const { id, back } of refunds) addRefund(service.standIn.account, { invoice: id, amount: back });
            await service.sync();
            await service.convert();
          };
        };
        const refundFirst = await book(invoices, first);
        const march = await margin('2025-03-01', '2025-04-01', costs);
        if (closes) await closeRevenue(service.context, '2025-03');
        await importFxRates(operator, {
          file: fileOf([{ usd: 12_000, jpy: 1_700_000 }, ...corrected.slice(1)]),
          source: 'ecb',
        });
        const second = afterwards(first, [{ usd: 12_000, jpy: 1_700_000 }, ...corrected.slice(1)]);
        // Invoices that waited are converted now, at the corrected rates.
        for (const { currency, minor, day, refund } of invoices) {
          const [before, after] = [rateInModel(first, currency, day), rateInModel(second, currency, day)];
          const left = minor - Math.min(refund ?? 0, minor);
          if (before === null && after !== null) revenueInModel += times(BigInt(left), DECIMALS[currency]!, after);
        }
        await service.convert();
        await refundFirst();
        await (
          await book(later, second)
        )();

        const all = await margin('2025-01-01', '2025-12-31', costs);
        expect(all.revenue).toBe(revenueInModel);
        const parts = [
          await margin('2025-01-01', '2025-04-01', costs),
          await margin('2025-04-01', '2025-04-17', costs),
          await margin('2025-04-17', '2025-12-31', costs),
        ];
        expect(parts.reduce((sum, { revenue }) => sum + revenue, 0n)).toBe(all.revenue);

        const costInModel = (from: number, until: number, days: Rates, otherwise: Rates) => {
          const common = 10n ** 30n;
          let digits = 0n;
          for (let day = from; day < until; day++) {
            const rate = rateInModel(days, 'usd', day) ?? rateInModel(otherwise, 'usd', day);
            if (rate !== null) digits += BigInt(costs[day]!) * rate.digits * (common / rate.scale);
          }
          return (2n * digits * 10n ** 15n + common * 1_000_000n) / (2n * common * 1_000_000n);
        };
        expect(march.cost).toBe(costInModel(0, 31, first, first));
        expect((await margin('2025-03-01', '2025-04-01', costs)).cost).toBe(
          costInModel(0, 31, closes ? first : second, second),
        );
        expect((await margin('2025-04-01', '2025-05-01', costs)).cost).toBe(costInModel(31, 61, second, second));
        expect((await verifyRevenue(service.context)).flatMap(({ differences }) => differences)).toEqual([]);
      }),
      runs(3, { nightly: 20 }),
    );
  });
});

describe('exchange differences', () => {
  let service: RevenueService;
  beforeEach(async () => {
    service = await startRevenue();
  });
  afterEach(() => service.close());

  it('plus revenue add up to what was invoiced at the rates of the invoices, less what was paid back at the rates of the processor', async () => {
    const rate = fc.integer({ min: 1, max: 20_000 });
    const payment = fc.record({
      minor: fc.integer({ min: 1, max: 1_000_000 }),
      rate,
      reversals: fc.array(
        fc.record({
          way: fc.constantFrom('refund', 'dispute', 'credit_note', 'linked_refund'),
          part: fc.integer({ min: 1, max: 100 }),
          /** Percentage of a credit note that a refund pays back. The rest is credited to the balance. */
          refunded: fc.integer({ min: 1, max: 100 }),
          rate,
        }),
        { maxLength: 4 },
      ),
      isInDollars: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 4 }), fc.boolean(), async (payments, closes) => {
        await service.close();
        service = await startRevenue();
        const { account } = service.standIn;
        const start = at('2025-03-10T00:00:00Z');
        account.now = start;
        const customer = addCustomer(account, { metadata: { user_id: 'ada' } });
        await importFxRates(
          { database: service.database, principal: service.context.principal },
          { file: 'Date,USD,\n2025-03-10,1.25,\n', source: 'ecb' },
        );
        await setOrganizationCurrency(service.context, { currency: 'EUR' });
        // Ten-thousandths of a cent.
        let expected = 0n;
        const settled = (minor: number, exchangeRate: number, sign: 1 | -1) => ({
          settlement: { currency: 'eur', exchangeRate: exchangeRate / 10_000, amount: sign * minor, fee: 0 },
        });
        const invoices = payments.map(({ minor, rate: invoiceRate, isInDollars }) => {
          expected += BigInt(minor) * (isInDollars ? BigInt(invoiceRate) : 10_000n);
          return addInvoice(account, {
            customer,
            currency: isInDollars ? 'usd' : 'eur',
            created: start,
            lines: [{ amount: minor, start, end: start }],
            ...(isInDollars && settled(minor, invoiceRate, 1)),
          });
        });
        await service.connect();
        await service.sync();
        await service.convert();
        if (closes) await closeRevenue(service.context, '2025-03');
        account.now = at('2025-04-10T00:00:00Z');
        for (const [index, { minor, reversals, isInDollars, rate: invoiceRate }] of payments.entries()) {
          let left = minor;
          const rateOfInvoice = isInDollars ? BigInt(invoiceRate) : 10_000n;
          for (const { way, part, refunded, rate: own } of reversals) {
            const back = Math.min(left, Math.ceil((minor * part) / 100));
            if (back === 0) continue;
            left -= back;
            const paid =
              way === 'credit_note' ? 0 : way === 'linked_refund' ? Math.ceil((back * refunded) / 100) : back;
            expected -= BigInt(paid) * (isInDollars ? BigInt(own) : 10_000n) + BigInt(back - paid) * rateOfInvoice;
            const invoice = invoices[index]!;
            const more = isInDollars ? settled(paid, own, -1) : {};
            const refund =
              way === 'refund' || way === 'linked_refund'
                ? addRefund(account, { invoice, amount: paid, ...more })
                : null;
            if (way === 'dispute') addDispute(account, { invoice, amount: paid, status: 'lost', ...more });
            if (way === 'credit_note' || way === 'linked_refund')
              addCreditNote(account, {
                invoice,
                credits: [{ line: null, amount: back }],
                ...(refund !== null && { refund, refundAmount: paid }),
              });
          }
        }
        await service.sync();
        await service.convert();
        const found = await compareInCurrency(
          service.context,
          parseWindow({ start: '2025-03-01', end: '2025-05-01' }),
          { days: [], endUsers: [], unassigned: { count: 0, costs: [] } },
        );
        const [revenue, difference] = [found.totalRevenue, found.exchangeDifferences].map((one) =>
          amount(String(one.amount)),
        );
        expect(revenue! + difference!).toBe(expected * 10n ** 9n);
        const march = await compareInCurrency(
          service.context,
          parseWindow({ start: '2025-03-01', end: '2025-04-01' }),
          { days: [], endUsers: [], unassigned: { count: 0, costs: [] } },
        );
        expect(march.exchangeDifferences.amount).toBe('0');
      }),
      runs(4, { nightly: 40 }),
    );
  });
});

describe('a cross rate', () => {
  it('by way of a third currency equals the direct one within the rounding of the three rates', () => {
    const text = fc.integer({ min: 1, max: 1_000_000_000 }).map((units) => plain(amount(`${units}`) / 10_000n));
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const book = rateBook(
          [a, b, c].map((rate, index) => ({
            quote: 'AAA BBB CCC'.split(' ')[index]!,
            day: '2025-04-17',
            rate,
            source: 'ecb' as const,
            importedAtMs: 0,
          })),
        );
        const of = (from: string, to: string) =>
          rateOfDay(book, { from, to, day: '2025-04-20', knownAtMs: null })!.rate;
        const [direct, around] = [of('AAA', 'CCC'), of('AAA', 'BBB').times(of('BBB', 'CCC'))];
        expect(direct.minus(around).abs().div(direct).lt(1.6e-11)).toBe(true);
        expect(plain(direct.toSignificantDigits(12))).toBe(plain(direct));
      }),
      runs(200, { nightly: 5_000 }),
    );
  });

  it('reads no later day, and none more than seven days back', () => {
    const book = rateBook([{ quote: 'USD', day: '2025-04-10', source: 'ecb', rate: '1.25', importedAtMs: 5 }]);
    const on = (day: string) => rateOfDay(book, { from: 'USD', to: 'EUR', day, knownAtMs: null });
    expect(on('2025-04-09')).toBeNull();
    expect(plain(on('2025-04-17')!.rate)).toBe('0.8');
    expect(on('2025-04-18')).toBeNull();
    // A month closed before the first import uses that import.
    expect(rateOfDay(book, { from: 'USD', to: 'EUR', day: '2025-04-10', knownAtMs: 1 })?.day).toBe('2025-04-10');
  });
});
