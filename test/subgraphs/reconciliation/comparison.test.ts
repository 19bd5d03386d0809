/** Known answers: published bills and reports, compared with books that used the published prices. */
import { Readable } from 'node:stream';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { money, plain, quantity, sum } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { type BillToCompare, compareBill } from '../../../subgraphs/reconciliation/comparison/compare-bill.ts';
import type { BillDay } from '../../../subgraphs/reconciliation/comparison/bill-comparison.ts';
import type { KnownPrice, OwnCharge } from '../../../subgraphs/reconciliation/comparison/own-charge.ts';
import { roundingBound } from '../../../subgraphs/reconciliation/comparison/compared-group.ts';
import { billLine } from '../../../subgraphs/reconciliation/lines/bill-line.ts';
import { resultInSlices } from '#platform/slices.ts';
import { leastStretch } from '../../support/longest-stretch.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { readBill } from '../../../subgraphs/reconciliation/readers/read-bill.ts';

const file = (name: string) => readFileSync(new URL(`./bills/${name}`, import.meta.url), 'utf8');

/** `claude-opus-5 input 1000 at 5`: USD per million. */
function own(day: string, text: string): OwnCharge {
  const match = /^(\S+) (\S+) (\d+) at (\S+)(?: with (\S+))?$/.exec(text)!;
  const [, model, tokenClass, count, price, context = ''] = match as unknown as string[];
  const amount = quantity(count!).times(money(price!)).div(1_000_000);
  return {
    day,
    provider: 'any',
    model: model!,
    context,
    tokenClass: tokenClass as TokenClass,
    unit: 'tokens',
    quantity: quantity(count!),
    list: amount,
    amount,
  };
}

async function compare(
  texts: readonly string[],
  charges: readonly OwnCharge[],
  more: Partial<BillToCompare> = {},
): Promise<BillDay[]> {
  const bills = await Promise.all(texts.map((text) => readBill(Readable.from([text]), 200_000)));
  const lines = bills.flatMap((bill) => bill.lines);
  const days = runToEnd(
    compareBill({ lines, own: charges, prices: [], untracked: new Set(), unsettled: new Map(), ...more }),
  );
  for (const day of days)
    for (const { difference, causes, unexplained } of day.differences)
      if (difference !== null)
        expect(plain(sum([...causes.map(({ amount }) => amount), unexplained!]))).toBe(plain(difference));
  return days;
}

const verdict = ({ day, quantityVerdict, amountVerdict, unexplained }: BillDay) => [
  day,
  quantityVerdict,
  amountVerdict,
  unexplained === null ? null : plain(unexplained),
];
const causes = (day: BillDay) =>
  day.differences.flatMap((difference) =>
    difference.causes.map(({ cause, amount, detail }) => [difference.model, cause, plain(amount), detail]),
  );

const COSTS = 'start_time\tend_time\tamount_value\tamount_currency\tline_item\n';
const USAGE =
  'start_time\tend_time\tnum_model_requests\tmodel\tbatch\tservice_tier\tinput_tokens\toutput_tokens\tinput_cached_tokens\n';

// OpenAI's bill of October 2025 as published in xavierjflanagan/Guardian; gpt-5-mini at 0.25 and 2, gpt-5 at 1.25,
// 0.125 and 10, gpt-4o at 2.5, 1.25 and 10.
it('reconciliation agrees with three days of a published bill', async () => {
  const costs = `${COSTS}1759795200\t1759881600\t0.569788\tusd\t\n1760054400\t1760140800\t0.34090000000000000\tusd\t\n1760140800\t1760227200\t0.072054\tusd\t\n`;
  const usage = `${USAGE}1759795200\t1759881600\t21\tgpt-5-mini-2025-08-07\tFALSE\tdefault\t80992\t274770\t0\n1760054400\t1760140800\t11\tgpt-5-mini-2025-08-07\tFALSE\tdefault\t124784\t154852\t0\n1760140800\t1760227200\t2\tgpt-5-mini-2025-08-07\tFALSE\tdefault\t22688\t33191\t0\n`;
  const charges = [
    own('2025-10-07', 'gpt-5-mini input 80992 at 0.25'),
    own('2025-10-07', 'gpt-5-mini output 274770 at 2'),
    own('2025-10-10', 'gpt-5-mini input 124784 at 0.25'),
    own('2025-10-10', 'gpt-5-mini output 154852 at 2'),
    own('2025-10-11', 'gpt-5-mini input 22688 at 0.25'),
    own('2025-10-11', 'gpt-5-mini output 33191 at 2'),
  ];
  expect((await compare([costs, usage], charges)).map(verdict)).toEqual([
    ['2025-10-07', 'AGREES', 'AGREES', '0'],
    ['2025-10-10', 'AGREES', 'AGREES', '0'],
    ['2025-10-11', 'AGREES', 'AGREES', '0'],
  ]);
  expect((await compare([costs], charges)).map(verdict)).toEqual([
    ['2025-10-07', 'UNKNOWN', 'AGREES', '0'],
    ['2025-10-10', 'UNKNOWN', 'AGREES', '0'],
    ['2025-10-11', 'UNKNOWN', 'AGREES', '0'],
  ]);
});

it('reconciliation does not invent a reason for a day of a published bill whose events are missing', async () => {
  const costs = `${COSTS}1759622400\t1759708800\t0.8958740000000000\tusd\t\n`;
  const charges = [
    own('2025-10-05', 'gpt-4o input 53440 at 2.5'),
    own('2025-10-05', 'gpt-4o cacheRead 5760 at 1.25'),
    own('2025-10-05', 'gpt-4o output 10646 at 10'),
  ];
  const [day] = await compare([costs], charges);
  expect(verdict(day!)).toEqual(['2025-10-05', 'UNKNOWN', 'DIFFERS', '0.648614']);
  expect(causes(day!)).toEqual([]);
});

it('reconciliation agrees with costs and usage of OpenAI by class and project', async () => {
  const charges = [
    own('2026-09-01', 'gpt-5.6-sol input 129083 at 4'),
    own('2026-09-01', 'gpt-5.6-sol cacheRead 132289 at 0.4'),
    own('2026-09-01', 'gpt-5.6-sol cacheCreation 19748 at 5'),
    own('2026-09-01', 'gpt-5.6-sol output 330464 at 20'),
    own('2026-09-01', 'text-embedding-3-small input 999 at 0'),
  ];
  const [day] = await compare([file('openai-costs.json'), file('openai-usage.json')], charges);
  expect(plain(day!.billed)).toBe('7.2772676');
  expect(verdict(day!)).toEqual(['2026-09-01', 'AGREES', 'AGREES', '0']);
});

// 2026-08-14: tokens of the usage report, cents of the cost report, published prices.
it('reconciliation agrees with four pairs of usage and cost report in cents', async () => {
  const pairs = [
    ['claude-haiku-4-5', 'uncached_input_tokens', 2919015, '291.9015', 'input', '1'],
    ['claude-sonnet-5', 'uncached_input_tokens', 1143691, '228.7382', 'input', '2'],
    ['claude-sonnet-5', 'cache_read_input_tokens', 1913996, '38.2799', 'cacheRead', '0.2'],
    ['claude-opus-4-8', 'uncached_input_tokens', 2268678, '1134.3390', 'input', '5'],
  ] as const;
  const bucket = (results: unknown[]) =>
    JSON.stringify({ data: [{ starting_at: '2026-08-14T00:00:00Z', ending_at: '2026-08-15T00:00:00Z', results }] });
  const costs = bucket(
    pairs.map(([model, type, , amount]) => ({ amount, currency: 'USD', cost_type: 'tokens', token_type: type, model })),
  );
  const usage = bucket(pairs.map(([model, type, tokens]) => ({ model, [type]: tokens })));
  const charges = pairs.map(([model, , tokens, , tokenClass, price]) =>
    own('2026-08-14', `${model} ${tokenClass} ${tokens} at ${price}`),
  );
  const [day] = await compare([costs, usage], charges);
  expect(verdict(day!)).toEqual(['2026-08-14', 'AGREES', 'AGREES', '0']);
  // The report rounds 38.27992 cents.
  expect(causes(day!).map(([model, cause, amount]) => [model, cause, amount])).toEqual([
    ['claude-sonnet-5', 'ROUNDING', '-0.0000002'],
  ]);
});

// A bill in PLN, wholly covered by a credit: five SKUs imply 3.757 to 3.766 a dollar.
it('reconciliation finds the currency and the credit of a published bill', async () => {
  const skus = [
    ['Gemini 2.5 Flash GA Text Input', '5.7198', 5062475],
    ['Gemini 2.5 Flash GA Thinking Text Output', '3.9001', 414506],
    ['Gemini 2.5 Flash Lite Text Input', '1.6134', 4289554],
    ['Gemini 2.5 Flash GA Text Output (Thinking On)', '0.5607', 59605],
    ['Gemini 2.5 Flash Lite Text Output', '0.2737', 182120],
  ] as const;
  const rows = skus.map(([description, cost, amount]) =>
    JSON.stringify({
      service: { description: 'Vertex AI' },
      sku: { description },
      usage_start_time: '2026-07-16T00:00:00Z',
      usage_end_time: '2026-07-17T00:00:00Z',
      cost,
      currency: 'PLN',
      usage: { amount, unit: 'requests' },
      credits: [{ amount: `-${cost}`, type: 'PROMOTION' }],
      cost_type: 'regular',
    }),
  );
  const charges = [
    own('2026-07-16', 'gemini-2.5-flash input 5062475 at 0.30'),
    own('2026-07-16', 'gemini-2.5-flash reasoning 414506 at 2.50'),
    own('2026-07-16', 'gemini-2.5-flash output 59605 at 2.50'),
    own('2026-07-16', 'gemini-2.5-flash-lite input 4289554 at 0.10'),
    own('2026-07-16', 'gemini-2.5-flash-lite output 182120 at 0.40'),
  ];
  const [day] = await compare([rows.join('\n')], charges);
  expect(verdict(day!)).toEqual(['2026-07-16', 'AGREES', 'EXPLAINED', '0']);
  expect([...new Set(causes(day!).map(([, cause]) => cause))]).toEqual(['CURRENCY', 'CREDIT']);
  expect(causes(day!)[0]![3]).toBe('PLN, 3.763 a dollar');
});

it('reconciliation applies the discount that the bill states, and no more', async () => {
  const day = '2026-08-01';
  const charges = [
    own(day, 'claude-opus-5 input 281219 at 5'),
    own(day, 'claude-opus-5 output 76861 at 25'),
    own(day, 'claude-opus-5 cacheRead 569645 at 0.5'),
  ];
  const [compared] = await compare([file('anthropic-enterprise-cost-report.json')], charges);
  expect(verdict(compared!)).toEqual([day, 'UNKNOWN', 'EXPLAINED', '0']);
  expect(causes(compared!)).toEqual([
    [null, 'NOT_TRACKED', '412.8', 'code execution: charged without usage events'],
    ['claude-opus-5', 'DISCOUNT', '-0.7224885', '20% off, as the bill states'],
  ]);
});

it('reconciliation separates discount, credit and tax of a report of AWS from events that are missing', async () => {
  const day = '2026-09-01';
  const charges = [
    own(day, 'anthropic.claude-opus-5-v1:0 input 1234567 at 5.5'),
    own(day, 'anthropic.claude-opus-5-v1:0 output 98765 at 27.5'),
    own(day, 'anthropic.claude-opus-5-v1:0 cacheCreation 250000 at 6.875'),
    own(day, 'anthropic.claude-opus-5-v1:0 input 42000 at 5 with geo=global'),
  ];
  const [agreed] = await compare([file('aws-cur2.csv')], charges);
  expect(verdict(agreed!)).toEqual([day, 'AGREES', 'EXPLAINED', '0']);
  expect(causes(agreed!).map(([, cause, amount]) => [cause, amount])).toEqual([
    ['NOT_TRACKED', '3.1'],
    ['CREDIT', '-1.25'],
    ['DISCOUNT', '-1.1434906'],
  ]);
  const [missing] = await compare([file('aws-cur2.csv')], charges.slice(0, 3));
  expect(causes(missing!).at(-1)!.slice(1, 3)).toEqual(['SILENT_SCOPE', '0.21']);
  expect(causes(missing!).at(-1)![3]).toContain('user/svc-legacy spends and does not report');
});

it("reconciliation explains a difference by the two decimals of a console's amounts", async () => {
  const costs =
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,cost_type\n' +
    '2026-08-15,Claude Haiku 4.5,Default,Agent,message,≤ 200k,input_no_cache,0.08,token\n';
  const [day] = await compare([costs], [own('2026-08-15', 'claude-haiku-4-5 input 84500 at 1')]);
  expect(causes(day!)).toEqual([
    ['claude-haiku-4-5', 'ROUNDING', '-0.0045', 'the bill is rounded: at most 0.005 for these lines'],
  ]);
  expect(verdict(day!)).toEqual(['2026-08-15', 'UNKNOWN', 'AGREES', '0']);
});

it('reconciliation never compares an unknown amount as zero', async () => {
  const unknown = { ...own('2026-08-15', 'claude-haiku-4-5 input 84500 at 1'), amount: null };
  const costs =
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,cost_type\n2026-08-15,Claude Haiku 4.5,,,message,,input_no_cache,0.08,token\n';
  const [day] = await compare([costs], [unknown]);
  expect([day!.difference, day!.amountVerdict, causes(day!)]).toEqual([null, 'UNKNOWN', []]);
});

it('reconciliation allows half of the last digit for every row that was rounded', () => {
  const line = (more: object) =>
    billLine({ day: '2026-10-05', label: 'x', provider: 'openai', currency: 'USD', ...more });
  // 4 rows of cents and 2 of a hundredth of a cent; usage has no amount.
  const lines = [line({ rows: 3 }), line({}), line({ digits: 4, rows: 2 }), line({ part: 'usage', rows: 9 })];
  expect(plain(roundingBound(lines))).toBe('0.0201');
});

it('reconciliation finds a shift from a period of two days to the next one', async () => {
  // 7 and 8 October, then 9 and 10 October.
  const [first, second] = ['1759795200\t1759968000', '1759968000\t1760140800'];
  const costs = `${COSTS}${first}\t0.25\tusd\tgpt-5-mini, input\n${first}\t1\tusd\tgpt-5, input\n${second}\t0.75\tusd\tgpt-5-mini, input\n${second}\t1\tusd\tgpt-5, input\n`;
  const charges = ['2025-10-07', '2025-10-10'].flatMap((day) => [
    own(day, 'gpt-5-mini input 2000000 at 0.25'),
    own(day, 'gpt-5 input 800000 at 1.25'),
  ]);
  expect((await compare([costs], charges)).map(causes)).toEqual([
    [['gpt-5-mini', 'DAY_SHIFT', '-0.25', '0.25 is billed on 2025-10-09']],
    [['gpt-5-mini', 'DAY_SHIFT', '0.25', '0.25 is in the books on 2025-10-07']],
  ]);
});

it('reconciliation says nothing about a day that the provider may still change', async () => {
  const costs = `${COSTS}1759795200\t1759881600\t0.5\tusd\tgpt-5-mini, input\n`;
  const unsettled = new Map([
    ['2025-10-07/2025-10-07', { state: 'SETTLING', reason: 'the last two pulls differ' } as const],
  ]);
  const [day] = await compare([costs], [own('2025-10-07', 'gpt-5-mini input 80992 at 0.25')], { unsettled });
  expect(causes(day!)).toEqual([['gpt-5-mini', 'SETTLING', '0.479752', 'the last two pulls differ']]);
});

it('reconciliation names a price that the card had earlier', async () => {
  const day = '2025-10-07';
  const price: KnownPrice = {
    model: 'gpt-5-mini',
    tokenClass: 'input',
    context: '',
    perToken: money('0.0000004'),
    from: null,
    until: '2025-10-01',
    isNegotiated: false,
  };
  const costs = `${COSTS}1759795200\t1759881600\t0.4\tusd\tgpt-5-mini, input\n1759795200\t1759881600\t2\tusd\tgpt-5-mini, output\n`;
  const usage = `${USAGE}1759795200\t1759881600\t1\tgpt-5-mini\tFALSE\tdefault\t1000000\t1000000\t0\n`;
  const charges = [own(day, 'gpt-5-mini input 1000000 at 0.25'), own(day, 'gpt-5-mini output 1000000 at 2')];
  expect(causes((await compare([costs, usage], charges, { prices: [price] }))[0]!)).toEqual([
    [
      'gpt-5-mini',
      'OTHER_PRICE',
      '0.15',
      'input was billed at the price that applies until 2025-10-01: 0.4 a million instead of 0.25',
    ],
  ]);
  expect(causes((await compare([costs, usage], charges))[0]!)).toEqual([
    ['gpt-5-mini', 'NEW_PRICE', '0.15', 'input: 0.4 a million instead of 0.25'],
  ]);
});

it('reconciliation does not compare amounts in a currency whose rate the bill does not imply', async () => {
  // 0.9 and 0.5 euros for what costs one dollar each.
  const costs = `${COSTS}1759795200\t1759881600\t0.9\teur\tgpt-5-mini, input\n1759795200\t1759881600\t0.5\teur\tgpt-5, input\n`;
  const usage = `${USAGE}1759795200\t1759881600\t1\tgpt-5-mini\tFALSE\tdefault\t4000000\t0\t0\n1759795200\t1759881600\t1\tgpt-5\tFALSE\tdefault\t800000\t0\t0\n`;
  const charges = [
    own('2025-10-07', 'gpt-5-mini input 4000000 at 0.25'),
    own('2025-10-07', 'gpt-5 input 800000 at 1.25'),
  ];
  const [day] = await compare([costs, usage], charges);
  expect([day!.difference, day!.amountVerdict]).toEqual([null, 'UNKNOWN']);
  expect(
    day!.differences.map(({ model, unknownCurrency, difference, causes: shares }) => [
      model,
      unknownCurrency,
      difference,
      shares,
    ]),
  ).toEqual([
    ['gpt-5', 'EUR', null, []],
    ['gpt-5-mini', 'EUR', null, []],
  ]);
});

it('reconciliation does not call equal numbers in two currencies equal', async () => {
  const costs = `${COSTS}1759795200\t1759881600\t1\teur\tgpt-5-mini, input\n`;
  const [day] = await compare([costs], [own('2025-10-07', 'gpt-5-mini input 4000000 at 0.25')]);
  expect(day!.differences.map(({ unknownCurrency, difference }) => [unknownCurrency, difference])).toEqual([
    ['EUR', null],
  ]);
  expect(verdict(day!)).toEqual(['2025-10-07', 'UNKNOWN', 'UNKNOWN', null]);
});

it('reconciliation needs no exchange rate for tax and other charges without usage', async () => {
  const row = '2025-10-07T00:00:00Z,2025-10-08T00:00:00Z,10,10,EUR,Tax,OpenAI\n';
  const file = `ChargePeriodStart,ChargePeriodEnd,BilledCost,ListCost,BillingCurrency,ChargeCategory,ProviderName\n${row}`;
  const [day] = await compare([file], []);
  expect(day!.differences.map(({ unknownCurrency, causes: [share] }) => [unknownCurrency, share?.cause])).toEqual([
    [null, 'NOT_TRACKED'],
  ]);
});

it('reconciliation looks for silent keys without blocking others for 50 ms', async () => {
  const charges = [own('2025-10-07', 'gpt-5-mini input 80992 at 0.25')];
  const bill = async (keys: number, rows: number) => {
    const row = (index: number) =>
      `1759795200,1759881600,0.${1_000 + ((index * 7_919) % 9_000)},usd,"gpt-5-mini, input",proj_${index % keys}`;
    const text = `start_time,end_time,amount_value,amount_currency,line_item,project_id\n${Array.from({ length: rows }, (_, index) => row(index)).join('\n')}`;
    const { lines } = await readBill(Readable.from([text]), 200_000);
    return { lines, own: charges, prices: [], untracked: new Set<string>(), unsettled: new Map() };
  };
  for (const [keys, rows] of [
    [60, 60],
    [20_000, 20_000],
  ] as const) {
    const given = await bill(keys, rows);
    const stretch = await leastStretch(() => resultInSlices(compareBill(given)), 50);
    expect([keys, stretch <= 50 ? 'short' : stretch]).toEqual([keys, 'short']);
  }
});

it('reconciliation leaves a credit of an unknown type unexplained and names it', async () => {
  const bill = JSON.stringify({
    service: { description: 'Vertex AI' },
    sku: { description: 'Gemini 2.5 Flash GA Text Input' },
    usage_start_time: '2026-07-16T00:00:00Z',
    cost: 0.3,
    currency: 'USD',
    usage: { amount: 1_000_000, unit: 'tokens' },
    credits: [
      { amount: -0.1, type: 'PROMOTION' },
      { amount: -0.2, type: 'LOYALTY' },
    ],
  });
  const [day] = await compare([bill], [own('2026-07-16', 'gemini-2.5-flash input 1000000 at 0.3')]);
  expect(verdict(day!)).toEqual(['2026-07-16', 'UNKNOWN', 'DIFFERS', '-0.2']);
  expect(causes(day!)).toEqual([['gemini-2.5-flash', 'CREDIT', '-0.1', 'credits and refunds of -0.1']]);
  expect(day!.differences.map(({ model, unreadNames }) => [model, unreadNames])).toEqual([
    [null, ['credit LOYALTY']],
    ['gemini-2.5-flash', []],
  ]);
});
