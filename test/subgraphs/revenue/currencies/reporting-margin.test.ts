import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import type { EndUserCostDays } from '#schema/end-user-cost-days.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice, voidInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import {
  addCreditNote,
  addDispute,
  addRefund,
  closeDispute,
  reinstateDispute,
  setRefundStatus,
} from '../../../../packages/stripe-stand-in/reversals.ts';
import { at, costLines, KEY, type RevenueService, startRevenue } from '../revenue-builder.ts';
import { EASTER } from './ecb-rates.ts';

const APRIL = { start: '2025-04-01T00:00:00.000Z', end: '2025-05-01T00:00:00.000Z' };
const EASTER_SUNDAY = at('2025-04-20T12:00:00Z');

const MARGIN = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { reportingMargin {
  currency isComplete costInUsd
  totalRevenue { amount currency } totalCost { amount currency } margin { amount currency } marginPercent
  latestRate { day from to rate } waiting { kind amount { amount currency } reason }
  endUsers { nodes { endUserName revenue { amount currency } cost { amount } margin { amount } marginPercent profitability } totalCount }
  warnings { type }
} } } }`;
const SET = `mutation ($currency: String!, $from: String) { organizationCurrencySet(input: { currency: $currency, from: $from }) {
  reportingCurrency { currency choices { currency from } newestRateDay } userErrors { field message code }
} }`;
const IMPORT = `mutation ($file: String!) { fxRatesImport(input: { file: $file }) { imported { added corrected } userErrors { message } } }`;

let service: RevenueService;
let ada: string;
beforeEach(async () => {
  service = await startRevenue();
  service.standIn.account.now = EASTER_SUNDAY;
  ada = addCustomer(service.standIn.account, { name: 'Ada SARL', metadata: { user_id: 'ada' } });
});
afterEach(() => service.close());

async function ask(document: string, variables: object = {}) {
  const subgraph = inProcessSubgraph(makeSubgraph(revenue, service.dependencies));
  const { data, errors } = await subgraph.execute(document, { ...variables }, service.context.principal);
  expect(errors).toBeUndefined();
  return JSON.parse(JSON.stringify(data));
}

/** Costs in USD by day and end user; '' is events without one. */
function costDays(costs: Readonly<Record<string, Readonly<Record<string, string>>>>): EndUserCostDays {
  const days = [...new Set(Object.values(costs).flatMap((own) => Object.keys(own)))].sort();
  const toCosts = (own: Readonly<Record<string, string>> = {}) =>
    Object.entries(own).map(([day, cost]) => [days.indexOf(day), cost] as const);
  return {
    days,
    endUsers: Object.entries(costs)
      .filter(([externalId]) => externalId !== '')
      .map(([externalId, own]) => [
        endUserId(service.organizationId, externalId),
        externalId,
        Object.keys(own).length,
        toCosts(own),
      ]),
    unassigned: { count: Object.keys(costs[''] ?? {}).length, costs: toCosts(costs['']) },
  };
}

async function margin(costs: Parameters<typeof costDays>[0] = { ada: {} }, window = APRIL) {
  const { _entities: entities } = await ask(MARGIN, {
    window: [{ __typename: 'Window', ...window, endUserCostDays: costDays(costs) }],
  });
  return entities[0].reportingMargin;
}

async function bookAll() {
  await service.connect();
  await service.sync();
  await service.convert();
}

const invoice = (amount: number, currency: string, more: object = {}) =>
  addInvoice(service.standIn.account, {
    customer: ada,
    currency,
    lines: [{ amount, start: EASTER_SUNDAY, end: EASTER_SUNDAY }],
    ...more,
  });

const euros = (amount: string) => ({ amount, currency: 'EUR' });

describe('a margin in the reporting currency', () => {
  it('does not convert euros, and converts the rest at the last rate before the holidays', async () => {
    await ask(IMPORT, { file: EASTER });
    invoice(10_000, 'eur');
    invoice(11_360, 'usd');
    // Yen have no minor unit.
    invoice(16_198, 'jpy');
    await ask(SET, { currency: 'eur' });
    await bookAll();
    const costs = {
      ada: { '2025-04-17': '10', '2025-04-19': '10', '2025-04-21': '10', '2025-04-22': '10' },
      '': { '2025-04-22': '1' },
    };
    // 1 / 1.136 = 0.880281690141 on 17 April and until the 21st, 1 / 1.1476 = 0.871383757407 on the 22nd,
    // and 1 / 161.98 = 0.00617360167922 for yen.
    expect(await margin(costs)).toEqual({
      currency: 'EUR',
      isComplete: true,
      costInUsd: '41',
      totalRevenue: euros('300.00000000002316'),
      totalCost: euros('35.993672035707'),
      margin: euros('264.00632796431616'),
      marginPercent: 88,
      latestRate: { day: '2025-04-25', from: 'USD', to: 'EUR', rate: '0.880514220305' },
      waiting: [],
      endUsers: {
        nodes: [
          {
            endUserName: 'Ada SARL',
            revenue: euros('300.00000000002316'),
            cost: { amount: '35.1222882783' },
            margin: { amount: '264.87771172172316' },
            marginPercent: 88.29,
            profitability: 'PROFITABLE',
          },
        ],
        totalCount: 1,
      },
      warnings: [{ type: 'unattributed_cost' }],
    });
  });

  it('uses the rate at which the processor settled the payment, if it did so in the reporting currency', async () => {
    await ask(IMPORT, { file: EASTER });
    invoice(10_000, 'usd', { settlement: { currency: 'eur', exchangeRate: 0.9, amount: 9_000, fee: 290 } });
    invoice(10_000, 'gbp', { settlement: { currency: 'usd', exchangeRate: 1.3, amount: 13_000, fee: 290 } });
    await ask(SET, { currency: 'EUR' });
    await bookAll();
    // 90 from the settlement, and 100 / 0.85873 = 116.451038161 at the rate of the European Central Bank.
    expect((await margin()).totalRevenue).toEqual(euros('206.451038161'));
    const RATES =
      '{ invoiceRates { nodes { amount { amount currency } converted { amount currency } rate rateDay rateSource } pageInfo { hasNextPage } } }';
    expect((await ask(RATES)).invoiceRates).toEqual({
      nodes: [
        {
          amount: { amount: '100', currency: 'USD' },
          converted: euros('90'),
          rate: '0.9',
          rateDay: '2025-04-20',
          rateSource: 'SETTLEMENT',
        },
        {
          amount: { amount: '100', currency: 'GBP' },
          converted: euros('116.451038161'),
          rate: '1.16451038161',
          rateDay: '2025-04-17',
          rateSource: 'ECB',
        },
      ],
      pageInfo: { hasNextPage: false },
    });
    const pages: object[] = [];
    for (let after: string | null = null, isLast = false; !isLast;) {
      const { invoiceRates }: any = await ask(
        `query ($after: String) {
          invoiceRates(first: 1, after: $after) {
            nodes { amount { currency } } edges { node { rate } } pageInfo { hasNextPage hasPreviousPage endCursor }
          }
        }`,
        { after },
      );
      const { endCursor, ...neighbors } = invoiceRates.pageInfo;
      pages.push([invoiceRates.nodes[0].amount.currency, invoiceRates.edges[0].node.rate, neighbors]);
      [after, isLast] = [endCursor, !neighbors.hasNextPage];
    }
    expect(pages).toEqual([
      ['USD', '0.9', { hasNextPage: true, hasPreviousPage: false }],
      ['GBP', '1.16451038161', { hasNextPage: false, hasPreviousPage: true }],
    ]);
    expect(
      await service.rows('select from_currency, source, rate_day::text as day from invoice_rate order by 1'),
    ).toEqual([
      { fromCurrency: 'GBP', source: 'ecb', day: '2025-04-17' },
      { fromCurrency: 'USD', source: 'settlement', day: '2025-04-20' },
    ]);
  });

  it('uses the rate of the invoice’s day if the key may not read how the payment was settled', async () => {
    await ask(IMPORT, { file: EASTER });
    service.standIn.keys.set(KEY, ['balance_transactions']);
    invoice(11_360, 'usd', { settlement: { currency: 'eur', exchangeRate: 0.9, amount: 10_224, fee: 290 } });
    await ask(SET, { currency: 'EUR' });
    await bookAll();
    expect((await margin()).totalRevenue).toEqual(euros('100.0000000000176'));
    expect(await service.rows('select last_error from payment_connection')).toEqual([{ lastError: null }]);
  });

  it('names what waits for a rate, and converts it once the rate is imported', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    invoice(10_000, 'usd', { created: at('2025-05-03T00:00:00Z') });
    invoice(1_250, 'kwd');
    await bookAll();
    const waiting = await margin({ ada: { '2025-04-09': '7', '2025-04-24': '3' } });
    expect(waiting).toMatchObject({
      isComplete: false,
      costInUsd: '10',
      totalRevenue: euros('0'),
      totalCost: euros('2.637130801689'),
      waiting: [
        { kind: 'REVENUE', amount: { amount: '1.25', currency: 'KWD' } },
        { kind: 'REVENUE', amount: { amount: '100', currency: 'USD' } },
        { kind: 'COST', amount: { amount: '7', currency: 'USD' } },
      ],
    });
    await ask(IMPORT, { file: 'Date,USD,\n2025-05-02,1.25,\n2025-04-09,1.1045,\n' });
    await service.convert();
    const complete = await margin({ ada: { '2025-04-09': '7', '2025-04-24': '3' } });
    expect(complete.totalRevenue).toEqual(euros('80'));
    expect(complete.waiting).toMatchObject([{ kind: 'REVENUE', amount: { amount: '1.25', currency: 'KWD' } }]);
  });

  it('keeps the rate of an invoice: what is taken back cancels to the last digit', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const yen = invoice(16_198, 'jpy');
    const dollars = invoice(9_999, 'usd');
    await bookAll();
    await ask(IMPORT, { file: EASTER.replace('161.98', '100').replace('1.136,', '2,') });
    await service.convert();
    addRefund(service.standIn.account, { invoice: yen, amount: 8_099 });
    await service.sync();
    await service.convert();
    // 8099 x 0.00617360167922 and 99.99 x 0.880281690141.
    expect((await margin()).totalRevenue).toEqual(euros('138.01936619720137'));
    addRefund(service.standIn.account, { invoice: yen, amount: 8_099 });
    voidInvoice(service.standIn.account, dollars);
    await service.sync();
    await service.convert();
    expect((await margin()).totalRevenue).toEqual(euros('0'));
  });

  it('a margin in the reporting currency without another currency reads no rate and equals the margin in USD', async () => {
    invoice(10_000, 'usd');
    await bookAll();
    const costs = { ada: { '2025-04-17': '10.5', '2025-04-18': '0.000000000000001' } };
    const usd = await service.margin(APRIL, { ada: '10.500000000000001' });
    const { totalRevenue, totalCost, currency, latestRate, isComplete } = await margin(costs);
    expect({ currency, latestRate, isComplete }).toEqual({ currency: 'USD', latestRate: null, isComplete: true });
    expect(totalRevenue).toEqual({ amount: '100', currency: 'USD' });
    expect(totalCost).toEqual({ amount: '10.500000000000001', currency: 'USD' });
    expect([usd.totalRevenue, usd.totalCost]).toEqual([100n * 10n ** 15n, 10_500_000_000_000_001n]);
    expect(await service.rows('select 1 from converted_entry')).toEqual([]);
  });

  it('leaves the margin in USD as it is', async () => {
    await ask(IMPORT, { file: EASTER });
    invoice(10_000, 'eur');
    await ask(SET, { currency: 'EUR' });
    await bookAll();
    const document = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { margin {
      total { totalRevenue totalCost } warnings { type message } } } } }`;
    const endUserCostLines = costLines(service.organizationId, { ada: '3' }, '0');
    const { _entities: entities } = await ask(document, {
      window: [{ __typename: 'Window', ...APRIL, endUserCostLines }],
    });
    expect(entities[0].margin).toEqual({
      total: { totalRevenue: '0', totalCost: '3' },
      warnings: [
        { type: 'revenue_in_other_currencies', message: '1 revenue record is not in USD and in no figure: 1 in EUR.' },
      ],
    });
  });
});

describe('fees of the processor', () => {
  const FEES = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { reportingMargin {
    isComplete margin { amount } fees { amount currency } unattributedFees { amount } marginAfterFees { amount }
    waiting { kind amount { amount currency } } warnings { type count }
    endUsers { nodes { endUserName fees { amount currency } marginAfterFees { amount } } }
  } } } }`;
  const fees = async () => {
    const endUserCostDays = costDays({ ada: { '2025-04-17': '10' } });
    const { _entities: entities } = await ask(FEES, { window: [{ __typename: 'Window', ...APRIL, endUserCostDays }] });
    return entities[0].reportingMargin;
  };
  const settled = (currency: string, fee: number) => ({
    settlement: { currency, exchangeRate: null, amount: 10_000, fee },
  });

  it('are shown separately, by customer, at the rate of the day of the payment', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    invoice(10_000, 'eur', settled('eur', 290));
    invoice(1, 'eur', settled('usd', 1_136));
    invoice(1, 'eur', { ...settled('jpy', 50), customer: addCustomer(service.standIn.account, { metadata: {} }) });
    await bookAll();
    // 100.02 of revenue and 8.80281690141 of cost; 2.90, 11.36 x 0.880281690141 and 50 x 0.00617360167922 of fees.
    expect(await fees()).toEqual({
      isComplete: true,
      margin: { amount: '91.21718309859' },
      fees: euros('13.20868008396276'),
      unattributedFees: { amount: '0.308680083961' },
      marginAfterFees: { amount: '78.00850301462724' },
      waiting: [],
      warnings: [{ type: 'unattributed_revenue', count: 1 }],
      endUsers: {
        nodes: [
          {
            endUserName: 'Ada SARL',
            fees: euros('12.90000000000176'),
            marginAfterFees: { amount: '78.30718309858824' },
          },
        ],
      },
    });
  });

  it.each([
    [APRIL.start, '2.9'],
    ['2025-04-30T23:59:59.999Z', '2.9'],
    [APRIL.end, '0'],
    ['2025-03-31T23:59:59.999Z', '0'],
  ])('fees of the processor of a payment at %s are %s', async (time, expected) => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    invoice(10_000, 'eur', settled('eur', 290));
    await bookAll();
    await service.rows('update charge set charged_at = $1', [time]);
    expect(await fees()).toMatchObject({ fees: euros(expected), warnings: [] });
    const isInApril = expected !== '0';
    await service.rows('update charge set fee_minor = null');
    expect((await fees()).warnings).toEqual(isInApril ? [{ type: 'fees_unknown', count: 1 }] : []);
    await service.rows('update charge set captured_minor = 0');
    expect((await fees()).warnings).toEqual([]);
  });

  it('wait without a rate, and are unknown to a key that may not read them', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    invoice(10_000, 'eur', settled('kwd', 1_250));
    await bookAll();
    expect(await fees()).toMatchObject({
      isComplete: false,
      fees: euros('0'),
      waiting: [{ kind: 'FEE', amount: { amount: '1.25', currency: 'KWD' } }],
      warnings: [],
    });
    service.standIn.keys.set(KEY, ['balance_transactions']);
    expect(await service.sync()).toMatchObject({ created: 0 });
    expect(await fees()).toMatchObject({
      fees: euros('0'),
      waiting: [],
      warnings: [{ type: 'fees_unknown', count: 1 }],
    });
    expect(await service.rows('select last_error from payment_connection')).toEqual([{ lastError: null }]);
  });
});

describe('exchange differences', () => {
  const DIFFERENCES = `query ($window: [_Any!]!) { _entities(representations: $window) { ... on Window { reportingMargin {
    totalRevenue { amount } exchangeDifferences { amount currency } unattributedExchangeDifferences { amount } endUserCount endUsers { nodes { endUserName exchangeDifferences { amount } } }
  } } } }`;
  const differences = async (window = APRIL) => {
    const { _entities: entities } = await ask(DIFFERENCES, {
      window: [{ __typename: 'Window', ...window, endUserCostDays: costDays({ ada: {}, ben: {} }) }],
    });
    return entities[0].reportingMargin;
  };
  const settled = (exchangeRate: number, amount: number) => ({
    settlement: { currency: 'eur', exchangeRate, amount, fee: 0 },
  });

  it('are the amount by which a refund cost more or less than it took back, on the day the processor converted it', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const dollars = invoice(10_000, 'usd', settled(0.9, 9_000));
    const own = invoice(10_000, 'eur');
    await bookAll();
    const { account } = service.standIn;
    addRefund(account, { invoice: own, amount: 5_000 });
    account.now = at('2025-05-02T12:00:00Z');
    addRefund(account, { invoice: dollars, amount: 5_000, ...settled(0.95, -4_750) });
    await service.sync();
    await service.convert();
    // 100 + 90, less 50 and 45: half of the payment at its own rate, 0.9. The refund took 47.50.
    expect(await differences()).toEqual({
      totalRevenue: { amount: '95' },
      exchangeDifferences: euros('0'),
      unattributedExchangeDifferences: { amount: '0' },
      endUserCount: 1,
      endUsers: { nodes: [{ endUserName: 'Ada SARL', exchangeDifferences: { amount: '0' } }] },
    });
    // Ada is listed although she has neither revenue nor cost in May; Ben has nothing at all.
    expect(await differences({ start: '2025-05-01T00:00:00.000Z', end: '2025-06-01T00:00:00.000Z' })).toEqual({
      totalRevenue: { amount: '0' },
      exchangeDifferences: euros('-2.5'),
      unattributedExchangeDifferences: { amount: '0' },
      endUserCount: 1,
      endUsers: { nodes: [{ endUserName: 'Ada SARL', exchangeDifferences: { amount: '-2.5' } }] },
    });
    const both = { start: APRIL.start, end: '2025-06-01T00:00:00.000Z' };
    expect(await differences(both)).toEqual({
      totalRevenue: { amount: '95' },
      exchangeDifferences: euros('-2.5'),
      unattributedExchangeDifferences: { amount: '0' },
      endUserCount: 1,
      endUsers: { nodes: [{ endUserName: 'Ada SARL', exchangeDifferences: { amount: '-2.5' } }] },
    });
    // A failed refund takes nothing back.
    const [refund] = [...account.objects.refunds.values()].filter((one) => one['currency'] === 'usd');
    setRefundStatus(account, refund!.id, 'failed');
    await service.sync();
    await service.convert();
    expect(await differences(both)).toMatchObject({
      totalRevenue: { amount: '140' },
      exchangeDifferences: euros('0'),
    });
  });

  it('exchange differences of customers without an end user are in the total only', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const { account } = service.standIn;
    const others = [{ user_id: 'unheard-of' }, {}].map((metadata) => addCustomer(account, { metadata }));
    for (const customer of [ada, ...others]) {
      const paid = invoice(10_000, 'usd', { ...settled(0.9, 9_000), customer });
      addRefund(account, { invoice: paid, amount: 5_000, ...settled(0.95, -4_750) });
    }
    await bookAll();
    expect(await differences()).toMatchObject({
      exchangeDifferences: euros('-7.5'),
      unattributedExchangeDifferences: { amount: '-5' },
      endUsers: { nodes: [{ endUserName: 'Ada SARL', exchangeDifferences: { amount: '-2.5' } }] },
    });
  });

  it('exchange differences of a lost dispute are the amount by which the withdrawal cost more or less than the revenue it took back', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const paid = invoice(10_000, 'usd', settled(0.9, 9_000));
    const { account } = service.standIn;
    const dispute = addDispute(account, { invoice: paid, amount: 4_000, ...settled(0.95, -3_800) });
    await bookAll();
    // A withdrawal that may still be returned takes nothing back.
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '90' }, exchangeDifferences: euros('0') });
    closeDispute(account, dispute, 'lost');
    await service.sync();
    await service.convert();
    // 40 dollars: 36 euros of revenue, for which 38 were withdrawn.
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '54' }, exchangeDifferences: euros('-2') });
    // 19.40 euros, 20 dollars at 0.97, come back: the other 20 dollars cost 18.60.
    reinstateDispute(account, dispute, { currency: 'eur', exchangeRate: 0.97, amount: 1_940, fee: 0 });
    await service.sync();
    await service.convert();
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '72' }, exchangeDifferences: euros('-0.6') });
  });

  it('exchange differences of a dispute follow from its amounts if the processor states no rate', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const paid = invoice(10_000, 'usd', settled(0.9, 9_000));
    const lost = { invoice: paid, amount: 10_000, status: 'lost', statesRate: false };
    addDispute(service.standIn.account, { ...lost, ...settled(0.928, -9_280) });
    await bookAll();
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '0' }, exchangeDifferences: euros('-2.8') });
  });

  it('exchange differences of a credit note belong to the part that a refund paid back', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const paid = invoice(10_000, 'usd', settled(0.9, 9_000));
    const { account } = service.standIn;
    const refund = addRefund(account, { invoice: paid, amount: 3_000, ...settled(0.95, -2_850) });
    // 50 dollars are credited: 25 by a refund, 15 to the balance and 10 by other means. The refund pays 5 more back.
    addCreditNote(account, {
      invoice: paid,
      credits: [{ line: null, amount: 5_000 }],
      refund,
      refundAmount: 2_500,
      outOfBand: 1_000,
    });
    await bookAll();
    // 100 - 50 - 5 dollars at 0.9. Of 30 dollars, each cost 0.05 more.
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '40.5' }, exchangeDifferences: euros('-1.5') });
    setRefundStatus(account, refund, 'failed');
    await service.sync();
    await service.convert();
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '45' }, exchangeDifferences: euros('0') });
  });

  it('exchange differences of a credit note are not more than it credited, and count in the month in which it is booked', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    const paid = invoice(10_000, 'usd', settled(0.9, 9_000));
    const { account } = service.standIn;
    const refund = addRefund(account, { invoice: paid, amount: 3_000, ...settled(0.95, -2_850) });
    addCreditNote(account, { invoice: paid, credits: [{ line: null, amount: 2_000 }], refund });
    await bookAll();
    expect((await differences()).exchangeDifferences).toEqual(euros('-1.5'));
    const may = { start: APRIL.end, end: '2025-06-01T00:00:00.000Z' };
    await service.rows("update revenue_record set recognized_from = $1 where kind <> 'invoice_line'", [may.start]);
    expect((await differences()).exchangeDifferences).toEqual(euros('0'));
    expect((await differences(may)).exchangeDifferences).toEqual(euros('-1.5'));
  });

  it('are unknown to a key that may not read how refunds were converted, and refunds still count', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    service.standIn.keys.set(KEY, ['balance_transactions']);
    const dollars = invoice(11_360, 'usd');
    addRefund(service.standIn.account, { invoice: dollars, amount: 11_360, ...settled(0.95, -10_792) });
    await bookAll();
    expect(await differences()).toMatchObject({ totalRevenue: { amount: '0' }, exchangeDifferences: euros('0') });
    expect(await service.rows('select last_error from payment_connection')).toEqual([{ lastError: null }]);
  });
});

describe('own rates', () => {
  const OWN = `mutation ($file: String!) { fxRatesImport(input: { file: $file, source: OWN }) { imported { added corrected } userErrors { message } } }`;

  it('replace the bank’s rates on their day, and work for currencies that the bank does not list', async () => {
    await ask(IMPORT, { file: EASTER });
    const own = 'Date,USD,AED,\n2025-04-17,1.25,4,\n';
    expect((await ask(OWN, { file: own })).fxRatesImport).toEqual({
      imported: { added: 2, corrected: 0 },
      userErrors: [],
    });
    // A later import of the bank's file does not replace them.
    await ask(IMPORT, { file: EASTER.replace('1.136,', '1.137,') });
    await ask(SET, { currency: 'EUR' });
    invoice(10_000, 'usd');
    invoice(10_000, 'aed');
    invoice(16_198, 'jpy');
    await bookAll();
    expect(await margin({ ada: { '2025-04-17': '10', '2025-04-22': '11.476' } })).toMatchObject({
      // 100 / 1.25 and 100 / 4; yen at the rate of the bank, 0.00617360167922.
      totalRevenue: euros('205.00000000000556'),
      // 10 / 1.25, and 11.476 at the rate of the bank, 0.871383757407.
      totalCost: euros('18.000000000002732'),
    });
    const { invoiceRates } = await ask('{ invoiceRates { nodes { rate rateSource } } }');
    expect(invoiceRates.nodes).toEqual([
      { rate: '0.8', rateSource: 'OWN' },
      { rate: '0.25', rateSource: 'OWN' },
      { rate: '0.00617360167922', rateSource: 'ECB' },
    ]);
    const { fxRates } = await ask(
      '{ fxRates(currency: "USD", from: "2025-04-17", until: "2025-04-18") { nodes { rate source } } }',
    );
    expect(fxRates.nodes).toEqual([{ rate: '1.25', source: 'own' }]);
    const { verifyRevenue } = await ask('{ verifyRevenue { differences } }');
    expect(verifyRevenue.flatMap((check: { differences: string[] }) => check.differences)).toEqual([]);
  });
});

describe('the reporting currency', () => {
  it('applies from the first day of a month', async () => {
    await ask(IMPORT, { file: EASTER });
    invoice(11_360, 'usd');
    await bookAll();
    const { organizationCurrencySet } = await ask(SET, { currency: 'EUR', from: '2025-04' });
    expect(organizationCurrencySet).toEqual({
      reportingCurrency: {
        currency: 'EUR',
        choices: [{ currency: 'EUR', from: '2025-04' }],
        newestRateDay: '2025-04-25',
      },
      userErrors: [],
    });
    await service.convert();
    const march = { start: '2025-03-01T00:00:00.000Z', end: '2025-04-01T00:00:00.000Z' };
    expect((await margin({ ada: { '2025-03-31': '5' } }, march)).totalCost).toEqual({ amount: '5', currency: 'USD' });
    expect((await margin()).totalRevenue).toEqual(euros('100.0000000000176'));
    await ask(SET, { currency: 'USD', from: '2025-04' });
    // A conversion that is in progress begins again with the first invoice.
    await service.rows("update conversion_queue set after_invoice = 'zzz' returning 1");
    await ask(SET, { currency: 'GBP', from: '2025-04' });
    await service.convert();
    const { totalRevenue } = await margin();
    expect([totalRevenue.currency, Math.round(Number(totalRevenue.amount))]).toEqual(['GBP', 86]);
  });

  it.each([
    [{ currency: 'XXX' }, ['input', 'currency'], 'currency: no exchange rates of XXX are imported'],
    [{ currency: 'Euro' }, ['input', 'currency'], 'currency must be a currency code of three letters, such as EUR'],
    [{ currency: 'EUR', from: '2025-13' }, ['input', 'from'], 'from must be a month such as 2026-03'],
  ])('refuses %j', async (input, field, message) => {
    await ask(IMPORT, { file: EASTER });
    expect((await ask(SET, input)).organizationCurrencySet).toEqual({
      reportingCurrency: null,
      userErrors: [{ field, message, code: 'VALIDATION_ERROR' }],
    });
  });
});

it('an organization reports in at most five currencies over time, of which it may choose one again', async () => {
  const own = `mutation ($file: String!) { fxRatesImport(input: { file: $file, source: OWN }) { userErrors { message } } }`;
  await ask(own, { file: 'Date,USD,JPY,GBP,AED,KWD,\n2025-04-17,1.25,160,0.8,4,0.3,\n' });
  const messages: string[] = [];
  for (const [index, currency] of ['EUR', 'USD', 'JPY', 'GBP', 'AED', 'KWD', 'EUR'].entries()) {
    const { organizationCurrencySet } = await ask(SET, { currency, from: `2024-0${index + 1}` });
    messages.push(
      ...organizationCurrencySet.userErrors.map(({ message }: { message: string }) => `${currency}: ${message}`),
    );
  }
  expect(messages).toEqual(['KWD: An organization can report in at most 5 currencies over time']);
});

describe('closed months', () => {
  it('keep the rates they were closed with; open months use a corrected rate', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    await bookAll();
    const costs = { ada: { '2025-04-22': '1.1476' } };
    expect((await margin(costs)).totalCost).toEqual(euros('1.000000000000273'));
    await ask('mutation { revenueClose(input: { through: "2025-04" }) { userErrors { message } } }');
    await ask(IMPORT, { file: EASTER.replace('2025-04-22,1.1476', '2025-04-22,1.25') });
    expect((await margin(costs)).totalCost).toEqual(euros('1.000000000000273'));
    expect((await ask(SET, { currency: 'GBP', from: '2025-04' })).organizationCurrencySet.userErrors).toMatchObject([
      { message: 'from must not be a closed month: the first open one is 2025-05' },
    ]);
    await ask('mutation { revenueReopen(input: { from: "2025-04" }) { userErrors { message } } }');
    expect((await margin(costs)).totalCost).toEqual(euros('0.91808'));
  });
});

describe('verification', () => {
  const differences = async () =>
    (await ask('{ verifyRevenue { check differences } }')).verifyRevenue
      .filter((one: { differences: string[] }) => one.differences.length > 0)
      .map((one: { check: string; differences: string[] }) => [one.check, one.differences.length]);

  it('finds a changed amount and a changed rate', async () => {
    await ask(IMPORT, { file: EASTER });
    await ask(SET, { currency: 'EUR' });
    invoice(11_360, 'usd');
    invoice(16_198, 'jpy');
    await bookAll();
    expect(await differences()).toEqual([]);
    await service.rows('update converted_entry set amount = amount + 0.000000000000001 where amount > 100.00000000001');
    expect(await differences()).toEqual([['every converted amount is its amount times the rate of its invoice', 1]]);
    await service.rows("update invoice_rate set rate = rate + 0.000000000001 where from_currency = 'USD'");
    expect(await differences()).toContainEqual([
      'every rate of an invoice follows from the imported rates of its day',
      1,
    ]);
  });
});
