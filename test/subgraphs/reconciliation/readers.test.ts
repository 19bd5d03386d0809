/** Files of providers, read to the last digit. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { plain, sum } from '#kernel/money.ts';
import type { BillLine } from '../../../subgraphs/reconciliation/lines/bill-line.ts';
import { daysOf } from '../../../subgraphs/reconciliation/lines/read-instant.ts';
import { readBill } from '../../../subgraphs/reconciliation/readers/read-bill.ts';

const file = (name: string) => readFileSync(new URL(`./bills/${name}`, import.meta.url), 'utf8');

const read = (text: string) => readBill(Readable.from([text]), 200_000);

const row = (line: BillLine) =>
  [
    line.day,
    line.meaning?.model ?? '-',
    line.meaning?.tokenClass ?? line.meaning?.unit ?? line.kind,
    line.meaning?.context ?? '',
    line.quantity === null ? 'null' : plain(line.quantity),
    line.net === null ? 'null' : plain(line.net),
  ].join('|');

it('names from a long table keep every character', async () => {
  const projects = Array.from({ length: 200 }, (_, index) => `${index}${'😀'.repeat(40)}`);
  const rows = projects.map((project) => `1791158400,1791244800,1,usd,"gpt-4o-mini, input",${project}`);
  const { lines } = await read(
    ['start_time,end_time,amount_value,amount_currency,line_item,project_id', ...rows].join('\n'),
  );
  expect(lines.flatMap(({ scopes }) => scopes).sort()).toEqual(projects.map((project) => `project:${project}`).sort());
});

describe('Anthropic', () => {
  it('states cents, and lines without events', async () => {
    const { source, lines } = await read(file('anthropic-cost-report.json'));
    expect(source).toBe('anthropic.cost_report');
    expect(lines.map(row)).toEqual([
      '2026-08-12|-|code_execution||null|12.345',
      '2026-08-12|claude-sonnet-5|input|geo=us|null|1.3200000000000045',
      '2026-08-12|claude-sonnet-5|output|geo=us|null|0.44',
      '2026-08-12|claude-opus-5|input|size=long,speed=fast|null|2.5',
      '2026-08-12|-|searches||null|0.03',
      '2026-08-12|-|session||null|0.07',
    ]);
    expect(lines[0]!.scopes).toEqual(['workspace:wrkspc_03Research']);
  });

  it('states list prices and a discount of 20 %', async () => {
    const { source, lines } = await read(file('anthropic-enterprise-cost-report.json'));
    expect(source).toBe('anthropic.analytics');
    expect(lines.map(({ list, net }) => [plain(list!), plain(net!)])).toEqual([
      ['1.406095', '1.124876'],
      ['1.921525', '1.53722'],
      ['0.2848225', '0.227858'],
      ['516', '412.8'],
    ]);
  });

  it('separates values from groups in the Analytics API', async () => {
    const item = {
      cost: { amount: '291.9015', list_amount: '291.9015', currency: 'USD', requests: null },
      group: {
        model: 'claude-haiku-4-5',
        api_key_id: 'apikey_1',
        workspace_id: null,
        token_type: 'uncached_input_tokens',
        cost_type: 'tokens',
      },
      starting_at: '2026-11-01T00:00:00Z',
      ending_at: '2026-11-02T00:00:00Z',
    };
    const { source, lines } = await read(JSON.stringify({ data: [item], has_more: false }));
    expect(source).toBe('anthropic.analytics');
    expect(lines.map(row)).toEqual(['2026-11-01|claude-haiku-4-5|input||null|2.919015']);
    expect(lines[0]!.scopes).toEqual(['key:apikey_1']);
  });

  it('reports usage by class', async () => {
    const results = [
      {
        uncached_input_tokens: 107,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 17355 },
        cache_read_input_tokens: 16549,
        output_tokens: 448,
        server_tool_use: { web_search_requests: 2 },
        model: 'claude-sonnet-4-20250514',
        service_tier: 'batch',
      },
    ];
    const page = { data: [{ starting_at: '2025-08-01T00:00:00Z', ending_at: '2025-08-02T00:00:00Z', results }] };
    expect((await read(JSON.stringify(page))).lines.map(row)).toEqual([
      '2025-08-01|claude-sonnet-4-20250514|input|tier=batch|107|null',
      '2025-08-01|claude-sonnet-4-20250514|output|tier=batch|448|null',
      '2025-08-01|claude-sonnet-4-20250514|cacheRead|tier=batch|16549|null',
      '2025-08-01|claude-sonnet-4-20250514|cacheCreation|tier=batch|17355|null',
      '2025-08-01|-|searches|tier=batch|2|null',
    ]);
  });

  it('exports costs and tokens as CSV from the console', async () => {
    const costs =
      'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type,inference_geo,speed\n' +
      '2026-08-15,Claude Haiku 4.5,Default,Agent,message,≤ 200k,input_no_cache,0.19,0.19,token,global,\n' +
      '2026-08-15,,Default,Agent,message,,,0.02,0.02,web_search,,\n';
    expect((await read(costs)).lines.map(row)).toEqual([
      '2026-08-15|Claude Haiku 4.5|input||null|0.19',
      '2026-08-15|-|searches||null|0.02',
    ]);
    const tokens =
      'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed\n' +
      '2026-08-05,claude-opus-5,Closer App,Default,standard,≤ 200k,46981,15969,0,0,16932,0,global,\n';
    expect((await read(tokens)).lines.map(row)).toEqual([
      '2026-08-05|claude-opus-5|input||46981|null',
      '2026-08-05|claude-opus-5|cacheCreation||15969|null',
      '2026-08-05|claude-opus-5|output||16932|null',
    ]);
  });
});

describe('OpenAI', () => {
  it('states costs by line item and project', async () => {
    const { source, lines } = await read(file('openai-costs.json'));
    expect(source).toBe('openai.costs');
    expect(lines).toHaveLength(8);
    expect(row(lines[0]!)).toBe('2026-09-01|gpt-5.6-sol|cacheCreation||null|0.067855');
    expect(plain(sum(lines.map(({ net }) => net!)))).toBe('7.2772676');
  });

  it('states all pages of a file, and refuses a file without the last page', async () => {
    const page = (value: number, more: object) => ({
      object: 'page',
      data: [{ object: 'bucket', start_time: 1759795200, results: [{ amount: { value, currency: 'usd' } }] }],
      ...more,
    });
    const [one, two] = [
      page(2.5, { has_more: true, next_page: 'p2' }),
      page(1.5, { has_more: false, next_page: null }),
    ];
    const total = async (text: string) => (await read(text)).lines.map(({ net }) => plain(net!));
    const long = (value: object) => JSON.stringify(value, null, 2);
    const both = [one, two];
    for (const text of [JSON.stringify(both), both.map(long).join('\n'), both.map((p) => JSON.stringify(p)).join('\n')])
      expect(await total(text)).toEqual(['4']);
    for (const pages of [[one], [two, one], [page(1, { next_page: 'p2' })]])
      for (const text of [JSON.stringify(pages), pages.map(long).join('\n')])
        await expect(read(text)).rejects.toThrow('download all pages into one file');
  });

  it('states a total without a line item', async () => {
    const { lines } = await read(file('openai-documented-costs.json'));
    expect(lines.map((line) => [line.day, line.label, line.meaning, plain(line.net!)])).toEqual([
      ['2024-11-01', 'total', null, '0.06'],
    ]);
  });

  it('reports tokens with cached ones included in the input', async () => {
    const { lines } = await read(file('openai-usage.json'));
    expect(lines.slice(0, 4).map(row)).toEqual([
      '2026-09-01|gpt-5.6-sol|input||63789|null',
      '2026-09-01|gpt-5.6-sol|cacheRead||44718|null',
      '2026-09-01|gpt-5.6-sol|cacheCreation||13571|null',
      '2026-09-01|gpt-5.6-sol|output||180774|null',
    ]);
    expect(lines[0]!.scopes).toEqual(['project:proj_01Search', 'key:key_01Search']);
    expect(row(lines.at(-1)!)).toBe('2026-09-01|text-embedding-3-small|input||999|null');
  });

  it('exports both as tables', async () => {
    const costs =
      'start_time\tend_time\tamount_value\tamount_currency\tline_item\tproject_id\n1759795200\t1759881600\t0.569788\tusd\t\t\n1759968000\t1760054400\t\t\t\t\n';
    expect((await read(costs)).lines.map(row)).toEqual(['2025-10-07|-|usage||null|0.569788']);
    const usage =
      'start_time\tend_time\tproject_id\tnum_model_requests\tmodel\tbatch\tservice_tier\tinput_tokens\toutput_tokens\tinput_cached_tokens\n1759795200\t1759881600\tproj_1\t21.0\tgpt-5-mini-2025-08-07\tFALSE\tdefault\t80992.0\t274770.0\t0.0\n';
    expect((await read(usage)).lines.map(row)).toEqual([
      '2025-10-07|gpt-5-mini-2025-08-07|input||80992|null',
      '2025-10-07|gpt-5-mini-2025-08-07|output||274770|null',
    ]);
  });
});

it('quantities of AWS are read in thousands, in millions, and in units of a million', async () => {
  const { source, lines } = await read(file('aws-cur2.csv'));
  expect(source).toBe('aws.cur2');
  expect(lines.map(row)).toEqual([
    '2026-09-01|claude-opus-5|input||1234567|6.11110665',
    '2026-09-01|claude-opus-5|output||98765|2.44443375',
    '2026-09-01|claude-opus-5|cacheCreation||250000|1.546875',
    '2026-09-01|claude-opus-5|input|geo=global|42000|0.189',
    '2026-09-01|-|credit||null|null',
    '2026-09-01|-|tax||null|null',
  ]);
  expect(lines.slice(4).map(({ credit, tax }) => [credit?.toFixed(), tax?.toFixed()])).toEqual([
    ['-1.25', undefined],
    [undefined, '3.1'],
  ]);
  expect(plain(lines[0]!.list!)).toBe('6.7901185');
});

it('Google counts tokens as tokens, count or requests, and its discounts are distinguished from gifts', async () => {
  const { source, lines } = await read(file('gcp-billing.csv'));
  expect(source).toBe('gcp.billing');
  expect(lines.map(row)).toEqual([
    '2026-09-01|claude-opus-5|input||2000000|9.5',
    '2026-09-01|claude-opus-5|output||150000|3.91875',
    '2026-09-01|claude-haiku-4-5|input||500000|0.5',
    '2026-09-01|-|tax||null|null',
  ]);
  expect(lines[0]!.discount!.toFixed()).toBe('-0.5');
  const nested = JSON.stringify({
    service: { description: 'Vertex AI' },
    sku: { description: 'Gemini 2.5 Flash GA Text Input' },
    usage_start_time: '2026-07-16T00:00:00Z',
    usage_end_time: '2026-07-16T01:00:00Z',
    cost: 5.7198,
    currency: 'PLN',
    usage: { amount: 5062475, unit: 'requests' },
    credits: [{ amount: -5.7198, type: 'PROMOTION' }],
    cost_type: 'regular',
  });
  const [line] = (await read(nested)).lines;
  expect([row(line!), line!.currency, line!.credit!.toFixed()]).toEqual([
    '2026-07-16|gemini-2.5-flash|input||5062475|5.7198',
    'PLN',
    '-5.7198',
  ]);
});

it('a credit or a line of an unknown type is not read as one that is known', async () => {
  const google = JSON.stringify({
    service: { description: 'Vertex AI' },
    sku: { description: 'Gemini 2.5 Flash GA Text Input' },
    usage_start_time: '2026-07-16T00:00:00Z',
    cost: 5,
    currency: 'USD',
    usage: { amount: 1000, unit: 'tokens' },
    credits: [
      { amount: -1, type: 'PROMOTION' },
      { amount: -2, type: 'LOYALTY' },
    ],
  });
  const { lines } = await read(google);
  expect(lines.map((line) => [row(line), line.label, line.credit?.toFixed()])).toEqual([
    ['2026-07-16|gemini-2.5-flash|input||1000|5', 'Gemini 2.5 Flash GA Text Input', '-1'],
    ['2026-07-16|-|usage||null|-2', 'credit LOYALTY', undefined],
  ]);
  const aws = file('aws-cur2.csv').replaceAll(/,Usage,/g, ',LoyaltyRebate,');
  expect(
    (await read(aws)).lines
      .filter(({ label }) => label === 'LoyaltyRebate')
      .map(({ meaning, quantity }) => [meaning, quantity]),
  ).toContainEqual([null, null]);
  const focus =
    'BilledCost,ListCost,ChargePeriodStart,BillingCurrency,ChargeCategory,ChargeDescription,ProviderName,ServiceName,SkuMeter\n-3,-3,2026-09-01T00:00:00Z,USD,Rebate,loyalty,OpenAI,API,"gpt-4o-mini, input"\n';
  expect((await read(focus)).lines.map(row)).toEqual(['2026-09-01|-|usage||null|-3']);
});

it('OpenRouter states dollars per model; inference with the customer’s own key is not charged', async () => {
  const { source, lines } = await read(file('openrouter-activity.json'));
  expect([source, ...lines.map(row)]).toEqual([
    'openrouter.activity',
    '2025-08-24|openai/gpt-4.1-2025-04-14|tokens||175|0.015',
  ]);
  const csv =
    'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug\ngen-1,2026-09-01 10:00:00,0.0012,100,20,openai/gpt-4.1\ngen-2,2026-09-01 11:00:00,0.0008,50,10,openai/gpt-4.1\n';
  expect((await read(csv)).lines.map(row)).toEqual(['2026-09-01|openai/gpt-4.1|tokens||180|0.002']);
});

it('xAI states dollars a day and model', async () => {
  expect((await read(file('xai-usage.json'))).lines.map(row)).toEqual([
    '2026-10-01|grok-4|usage||null|0.75973725',
    '2026-10-01|grok-code|usage||null|0.25',
  ]);
});

describe('FOCUS', () => {
  it('separates charges that are not for models', async () => {
    const { source, lines } = await read(file('focus-aws.csv'));
    expect(source).toBe('aws.focus');
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(['capacity', 'other']));
  });

  it('reads the meters of Azure, and quantities in thousands', async () => {
    const csv =
      'BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ConsumedQuantity,ConsumedUnit,ListCost,ProviderName,ServiceName,SkuMeter,SubAccountId,Tags\n' +
      '0.25,USD,Usage,2026-09-01T00:00:00Z,2026-09-02T00:00:00Z,1000,1K Tokens,0.25,Microsoft,Azure OpenAI,GPT 5 Mini Inpt Glbl,sub-1,"{""a"": ""b, c""}"\n';
    const { source, lines } = await read(csv);
    expect([source, ...lines.map(row)]).toEqual(['azure.focus', '2026-09-01|gpt-5-mini|input||1000000|0.25']);
  });

  it('reads models and classes of SkuPriceDetails, in JSON', async () => {
    const charge = {
      BilledCost: 35.2e-7,
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      ChargePeriodStart: '2026-09-01T00:00:00Z',
      ChargePeriodEnd: '2026-09-02T00:00:00Z',
      ConsumedQuantity: 1000,
      ConsumedUnit: 'Tokens',
      ServiceProviderName: 'Acme AI',
      ServiceName: 'Acme',
      SkuPriceDetails: { x_ModelId: 'acme-1', x_TokenClass: 'cache_creation_1h' },
    };
    expect((await read(JSON.stringify([charge]))).lines.map(row)).toEqual([
      '2026-09-01|acme-1|cacheCreation1h||1000|0.00000352',
    ]);
  });
});

describe('an unusual file', () => {
  it.each([
    ['', 'The file contains no rows'],
    ['a,b\n1,2,3\n', 'The file is not CSV: Invalid Record Length: columns length is 2, got 3 on line 2'],
    ['a,b\n"1,2\n', 'The file is not CSV: Quote Not Closed'],
    ['a,b\n1,2\n', 'The columns match no known format'],
    ['{"data":[{"x":1}]}', 'Unknown format'],
    ['{"data":[{"x":1', 'The file ends in the middle of its JSON'],
    ['{"data":[{"x":"a', 'The file ends in the middle of its JSON'],
    [file('openai-costs.json').trim().slice(0, -2), 'The file ends in the middle of its JSON'],
    ['[1,2]', 'The file contains a record that is not a JSON object'],
    ['{"data":[{"x":1},2]}', 'The file contains a record that is not a JSON object'],
    [
      'start_time,amount_value\n1759795200,"1,234.50"\n',
      'amount.value is not a number: "1,234.50". Use a decimal point and no',
    ],
    ['start_time;amount_value\n1759795200;1,5\n', 'amount.value is not a number: "1,5". Use a decimal point and no'],
    ['start_time,amount_value\n1759795200,1e+15\n', 'amount.value is out of range: "1e+15"'],
    ['start_time,amount_value\n1759795200,1e-999\n', 'amount.value is out of range: "1e-999"'],
    ['start_time,amount_value\n1759795200,1e9999\n', 'amount.value is not a number'],
    ['start_time,amount_value,start_time\n1759795200,1,1759795200\n', 'Column "start_time" appears twice'],
    [
      'BilledCost,BILLED_COST,ChargePeriodStart,BillingCurrency\n1,2,2026-09-01,USD\n',
      'The columns "BilledCost" and "BILLED_COST" mean the same',
    ],
    ['start_time,amount_value\nyesterday,1\n', 'start_time is not a time'],
    // JavaScript reads 30 February as 2 March.
    ['start_time,amount_value\n2026-02-30,1\n', 'start_time is not a time'],
    ['start_time,amount_value\n2026-02-30T00:00:00+02:00,1\n', 'start_time is not a time'],
    ['start_time,amount_value\n4/13/25 25:00,1\n', 'start_time is not a time'],
    ...['13/4/25', '2/30/2026', '0/1/26', '1/0/26'].map((day) => [
      `BilledCost,ChargePeriodStart,BillingCurrency\n1,${day},USD\n`,
      `ChargePeriodStart is not a time: "${day}". Write days as 2026-04-13, or month first as 4/13/2026`,
    ]),
  ])('is refused: %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it.each(['4/13/26', '04/13/2026 23:59', '2026-04-13', '2026-04-14T00:30:00+02:00', '2026-04-13 10:00:00 UTC'])(
    'the time %s is on 13 April 2026',
    async (time) => {
      expect((await read(`start_time,amount_value\n${time},1\n`)).lines).toMatchObject([{ day: '2026-04-13' }]);
    },
  );

  it.each(['4', '-3', '1.234', '-100.2', '0', '35.2E-7', '1.5E-3', '35.2E7'])(
    'FOCUS allows the number %s',
    async (text) => {
      expect((await read(`start_time,amount_value\n1759795200,${text}\n`)).lines).toHaveLength(1);
    },
  );

  it('the form of a table does not change what it states', async () => {
    const text = file('aws-cur2.csv');
    const rows = text.trim().split('\n');
    const stated = (await read(text)).lines.map(row);
    for (const form of [
      `\ufeff${text}`,
      text.replaceAll('\n', '\r\n'),
      text.replaceAll('\n', '\r'),
      `${text}\n\n`,
      rows.map((line, index) => `${index === 0 ? 'a_new_column' : 'x'},${line}`).join('\n'),
      [rows[0]!.replaceAll(',', ' , '), ...rows.slice(1)].join('\n'),
    ])
      expect((await read(form)).lines.map(row)).toEqual(stated);
    const reversed = (await read([rows[0]!, ...rows.slice(1).reverse()].join('\n'))).lines.map(row);
    expect(reversed.toSorted()).toEqual(stated.toSorted());
  });

  it.each([
    ['sku.description,service.description,usage_start_time,cost,currency\nA,Vertex AI,2026-09-01,,USD\n', '"A"'],
    [
      '{"data":[{"object":"bucket","start_time":1759795200,"results":[{"amount":{"value":null,"currency":"usd"},"line_item":"x"}]}]}',
      '"x"',
    ],
    ['BilledCost,ChargePeriodStart,BillingCurrency,ServiceName\n,2026-09-01,USD,Bedrock\n', '"Bedrock"'],
  ])('a row without an amount is refused, because it would count as zero: %s', async (text, label) => {
    await expect(read(text)).rejects.toThrow(new RegExp(`has no amount: ${label}`));
  });

  it.each(['{bad', "[{'amount': -0.5}]", 'none', '[1]'])(
    'credits of Google that are %s are not left out',
    async (credits) => {
      const quoted = `"${credits.replaceAll('"', '""')}"`;
      const text = `sku.description,service.description,usage_start_time,cost,currency,credits\nGemini 2.5 Flash GA Text Input,Vertex AI,2026-09-01,1.5,USD,${quoted}\n`;
      await expect(read(text)).rejects.toThrow('credits is not a JSON list');
      expect((await read(text.replace(quoted, '[]'))).lines).toMatchObject([{ credit: null }]);
      expect((await read(text.replace(quoted, ''))).lines).toMatchObject([{ credit: null }]);
    },
  );

  it.each(['35.24 x 10^7', '2.3^3', '+333', '3,432,342', 'abc'])('the number %s is refused', async (text) => {
    await expect(read(`start_time,amount_value\n1759795200,"${text}"\n`)).rejects.toThrow('is not a number');
  });

  /**
   * Numbers with an exponent as Python, Go and JavaScript print them, and as spreadsheets do, with a sign and two
   * digits.
   */
  it.each([
    ['1.2E-05', '0.000012'],
    ['1.5e+3', '1500'],
    ['1e+06', '1000000'],
    ['5.684341886080802E-17', '0.00000000000000005684341886080802'],
    ['-2.5e+00', '-2.5'],
  ])('the number %s is %s', async (text, exact) => {
    const table = await read(`start_time,amount_value\n1759795200,${text}\n`);
    expect(plain(table.lines[0]!.net!)).toBe(exact);
  });
});

describe('names of columns in data warehouses', () => {
  const upper = (name: string) => name.toUpperCase();
  const lower = (name: string) => name.toLowerCase();
  const words = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[.]/g, '_').toLowerCase();
  it.each(['aws-cur2.csv', 'gcp-billing.csv', 'focus-aws.csv'])('are understood: %s', async (name) => {
    const text = file(name);
    const [header = ''] = text.split('\n', 1);
    const stated = await read(text);
    for (const rename of [upper, lower, words, (column: string) => upper(words(column))]) {
      const renamed = `${header.split(',').map(rename).join(',')}${text.slice(header.length)}`;
      expect(await read(renamed)).toEqual(stated);
    }
  });

  it('unknown values are empty, null, NULL or \\N, and times have a zone', async () => {
    const [header, line = ''] = file('aws-cur2.csv').split('\n');
    const stated = (await read(`${header}\n${line}`)).lines;
    expect(line.endsWith(',')).toBe(true);
    for (const unknown of ['null', 'NULL', '\\N'])
      expect((await read(`${header}\n${line}${unknown}`)).lines).toEqual(stated);
    for (const [from, to] of [
      ['T09:00:00Z', ' 09:00:00.000'],
      ['T09:00:00Z', ' 09:00:00.000 UTC'],
      ['T09:00:00Z', ' 02:00:00.000 -0700'],
    ] as const)
      expect((await read(`${header}\n${line.replaceAll(from, to)}`)).lines).toEqual(stated);
  });

  it('rows of AWS may also be JSON lines', async () => {
    const [header = '', line = ''] = file('aws-cur2.csv').split('\n');
    const values = line.split(',');
    const json = JSON.stringify(
      Object.fromEntries(header.split(',').map((name, index) => [upper(name), values[index]])),
    );
    expect((await read(json)).lines).toEqual((await read(`${header}\n${line}`)).lines);
  });
});

/** Sample rows of docs.fireworks.ai, accounts/exporting-usage-costs and accounts/exporting-billing-metrics. */
describe('Fireworks', () => {
  it('states costs by model', async () => {
    const { source, lines } = await read(
      'account_id,date,group_by_dimension,group_by_value,subtotal_usd,currency\n' +
        'my-account,2026-05-14,model,accounts/my-account/models/glm-5p2,8.400000000,USD\n' +
        'my-account,2026-05-14,model,unknown_model,0.100000000,USD\n',
    );
    expect(source).toBe('fireworks.usage');
    expect(lines.map(row)).toEqual([
      '2026-05-14|accounts/my-account/models/glm-5p2|usage||null|8.4',
      '2026-05-14|-|usage||null|0.1',
    ]);
  });

  it('states costs by key', async () => {
    const { lines } = await read(
      'account_id,date,group_by_dimension,group_by_value,subtotal_usd,currency\n' +
        'my-account,2026-05-14,api_key,key_4nMFyHCSZP4CRKqa,8.400000000,USD\n',
    );
    expect([lines.map(row), lines[0]!.scopes]).toEqual([
      ['2026-05-14|-|usage||null|8.4'],
      ['key:key_4nMFyHCSZP4CRKqa'],
    ]);
  });

  it('reports usage by class, with and without cached tokens', async () => {
    const columns =
      'email,start_time,end_time,usage_type,accelerator_type,accelerator_seconds,base_model_name,model_bucket,parameter_count,prompt_tokens,completion_tokens';
    const sample =
      'user@example.com,2025-10-20 17:16:48 UTC,2025-10-20 17:16:48 UTC,TEXT_COMPLETION_INFERENCE_USAGE,,,accounts/fireworks/models/llama4-maverick-instruct-basic,Llama 4 Maverick Basic,401583781376,803,109';
    const model = 'accounts/fireworks/models/llama4-maverick-instruct-basic';
    const split = await read(`${columns},cached_prompt_tokens,uncached_prompt_tokens\n${sample},200,603\n`);
    expect(split.lines.map(row)).toEqual([
      `2025-10-20|${model}|input||603|null`,
      `2025-10-20|${model}|cacheRead||200|null`,
      `2025-10-20|${model}|output||109|null`,
    ]);
    expect((await read(`${columns}\n${sample}\n`)).lines.map(row)).toEqual([
      `2025-10-20|${model}|input||803|null`,
      `2025-10-20|${model}|output||109|null`,
    ]);
  });
});

describe('the days of a period', () => {
  const at = (instant: string) => Date.parse(instant);
  it.each([
    ['2026-04-13T00:00:00Z', '2026-04-14T00:00:00Z', '2026-04-13', '2026-04-13'],
    ['2026-04-13T00:00:00Z', '2026-04-14T00:00:01Z', '2026-04-13', '2026-04-14'],
    ['2026-04-13T05:00:00Z', '2026-04-13T06:00:00Z', '2026-04-13', '2026-04-13'],
    ['2026-04-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-04-01', '2026-04-30'],
    ['2026-04-13T00:00:00Z', null, '2026-04-13', '2026-04-13'],
    ['2026-04-13T00:00:00Z', '2026-04-13T00:00:00Z', '2026-04-13', '2026-04-13'],
    ['2026-04-13T00:00:00Z', '2026-04-12T00:00:00Z', '2026-04-13', '2026-04-13'],
  ])('from %s to %s are %s to %s', (start, end, day, lastDay) => {
    expect(daysOf(at(start), end === null ? null : at(end))).toEqual({ day, lastDay });
  });
});
