import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start as startProcessor, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { graphql } from '../../support/api-client.ts';
import { padded, queryParquet } from '../../support/duckdb.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { getExport } from '../../support/get-export.ts';
import { readParquet } from '../../support/read-parquet.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const MARCH = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };
const FORMULA = '=HYPERLINK("http://evil.example")';
const event = (day: string, more: object) => usageEvent({ event_invoked_at: `${day}T10:00:00Z`, ...more });

let service: ServiceWithEvents;
let processor: StripeStandIn;
beforeAll(async () => {
  processor = await startProcessor();
  service = await serviceWithEvents([
    event('2026-02-28', { user_id: 'acme' }),
    event('2026-03-01', { user_id: 'acme', metadata: { agent_id: FORMULA } }),
    event('2026-03-01', { user_id: 'acme', metadata: { service_tier: 'batch' } }),
    event('2026-03-02', { user_id: 'Größe, "8"', cost_override: '0.000000000000001' }),
    event('2026-03-31', { user_id: 'acme', cost_override: '123456789.123456789012345' }),
    event('2026-03-31', { metadata: { agent_id: 'support' } }),
    event('2026-04-01', { user_id: 'late' }),
  ]);
  const span = { start: Date.parse('2026-02-10T12:34:56Z') / 1000, end: Date.parse('2026-04-20T01:02:03Z') / 1000 };
  const acme = addCustomer(processor.account, { name: 'Acme Inc.', metadata: { user_id: 'acme' } });
  addInvoice(processor.account, { customer: acme, lines: [{ amount: 10_007, ...span }] });
  const stranger = addCustomer(processor.account, { name: 'Initech' });
  addInvoice(processor.account, { customer: stranger, lines: [{ amount: 1_001, ...span }] });
  await service.operate(`mutation {
    revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } }
    revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } }
  }`);
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

type Row = Readonly<Record<string, any>>;
const open = (path: string, key: string | null = service.firstRun.live_read_key) => getExport(service.url, path, key);

/** The rows of a table in March, from the JSONL file. */
async function rowsOf(table: string, more = ''): Promise<readonly Row[]> {
  const { text, body } = await open(`${table}?period=2026-03&format=jsonl${more}`);
  expect(body).toBeNull();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

function sumOf(rows: readonly Row[], column: string): string {
  const units = rows.reduce((sum, row) => sum + unitsOf(row[column] as string), 0n);
  const digits = String(units < 0n ? -units : units).padStart(16, '0');
  const fraction = digits.slice(-15).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -15)}${fraction && `.${fraction}`}`;
}

/** In 10⁻¹⁵. */
function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(15, '0'));
}

async function graph(selection: string): Promise<any> {
  const document = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { ${selection} } }`;
  const { body } = await graphql(service.url, service.firstRun.live_read_key, document, MARCH);
  expect(body.errors).toBeUndefined();
  return body.data;
}

function expectUnique(rows: readonly Row[], key: readonly string[]): void {
  const keys = rows.map((row) => JSON.stringify(key.map((name) => String(row[name]))));
  expect(new Set(keys).size).toBe(rows.length);
}

describe('200', () => {
  it.each(['sku', 'customer', 'agent'])('charges by day and %s add up to the costs in GraphQL', async (grain) => {
    const rows = await rowsOf('charge_day', `&grain=${grain}`);
    const { chargeDays, costs } = (await graph('chargeDays { totalAmount totalListAmount } costs { totalCost }'))
      .window;
    expect(sumOf(rows, 'effective_amount')).toBe(costs.totalCost);
    expect(sumOf(rows, 'contracted_amount')).toBe(chargeDays.totalAmount);
    expect(sumOf(rows, 'list_amount')).toBe(chargeDays.totalListAmount);
    expectUnique(rows, ['day', 'provider', 'model', 'context', 'class', 'unit', 'end_user', 'agent']);
    expect(new Set(rows.map(({ day }) => day))).toEqual(new Set(['2026-03-01', '2026-03-02', '2026-03-31']));
    expect('end_user' in rows[0]!).toBe(grain === 'customer');
  });

  it('charges have the prices of the provider: half for a batch', async () => {
    const rows = await rowsOf('charge_day');
    // gpt-4o: 2.5 USD a million input tokens; a batch costs half.
    expect(
      rows
        .filter(({ day, class: name }) => day === '2026-03-01' && name === 'input')
        .map(({ context, quantity, list_amount, effective_amount, corrections, events }) => [
          ...[context, quantity, list_amount, effective_amount, corrections, events],
        ]),
    ).toEqual([
      ['', '1000', '0.0025', '0.0025', '0', 1],
      ['tier=batch', '1000', '0.00125', '0.00125', '0', 1],
    ]);
  });

  it('margins by day add up to the margin in GraphQL, including amounts without an end user', async () => {
    const rows = await rowsOf('margin_day');
    const { total } = (await graph('margin { total { totalRevenue totalCost marginAmount unattributedCost } }')).window
      .margin;
    expect(sumOf(rows, 'revenue')).toBe(total.totalRevenue);
    expect(sumOf(rows, 'cost')).toBe(total.totalCost);
    expect(sumOf(rows, 'margin')).toBe(total.marginAmount);
    expectUnique(rows, ['day', 'end_user', 'customer']);
    expect(rows.filter(({ customer }) => customer !== null)).toHaveLength(31);
    expect(rows.filter(({ end_user: user, customer }) => user === null && customer === null)).toEqual([
      expect.objectContaining({ day: '2026-03-31', revenue: '0', cost: total.unattributedCost, name: null }),
    ]);
    expect(rows).toContainEqual(expect.objectContaining({ day: '2026-03-15', end_user: 'acme', name: 'Acme Inc.' }));
  });

  it('revenue by day adds up to the recognized revenue in GraphQL', async () => {
    const rows = await rowsOf('revenue_day');
    const { dataPoints } = (await graph('recognizedRevenue { dataPoints { revenue } }')).window.recognizedRevenue;
    expect(sumOf(rows, 'recognized')).toBe(sumOf(dataPoints, 'revenue'));
    expect(rows).toHaveLength(62);
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(['USD']));
  });

  it('rates are those in force in the period', async () => {
    const { bytes } = await open('rate_history?period=2026-03&format=parquet');
    const rows = await readParquet(bytes);
    expectUnique(rows, ['rate_card_version_id', 'class', 'context', 'above_input_tokens']);
    const isInput = ({ model, provider, class: name, context, above_input_tokens: above }: Row) =>
      model === 'gpt-4o' && provider === 'openai' && name === 'input' && context === '' && above === 0n;
    expect(rows.filter(isInput)).toEqual([
      expect.objectContaining({ price: '2.5', factor: null, negotiated: false, unit: 'per million tokens' }),
    ]);
  });

  it('a rate that ends as the period begins, or begins as it ends, is not in force in it', async () => {
    for (const [from, price] of [
      ['2026-02-01', '1'],
      ['2026-03-01', '2'],
      ['2026-03-31T23:59:59Z', '3'],
      ['2026-04-01', '4'],
    ])
      await service.operate(`mutation { rateSet(input: {
        model: "bounded-1", provider: "openai", input: "${price}", output: "0", effectiveFrom: "${from}"
      }) { userErrors { message } } }`);
    const rows = await rowsOf('rate_history');
    const found = rows.filter(({ model, class: name }) => model === 'bounded-1' && name === 'input');
    expect(found.map(({ price }) => price as string).toSorted()).toEqual(['2', '3']);
  });

  it('end users are those that events had named by the end of the period', async () => {
    const rows = await rowsOf('end_user');
    expect(rows.map(({ end_user: user, name }) => [user, name]).sort()).toEqual([
      ['Größe, "8"', 'Größe, "8"'],
      ['acme', 'Acme Inc.'],
    ]);
    expect(rows.find(({ end_user: user }) => user === 'acme')).toMatchObject({
      first_seen_at: '2026-02-28T10:00:00.000Z',
    });
  });

  it('GraphQL lists the same end users, a page at a time', async () => {
    const document = `query ($after: String) { endUsers(seenBefore: "${MARCH.end}", first: 1, after: $after) {
      nodes { externalId firstSeenAt } pageInfo { hasNextPage endCursor } totalCount } }`;
    const read = async (after: string | null): Promise<any> =>
      (await graphql(service.url, service.firstRun.live_read_key, document, { after })).body.data.endUsers;
    const first = await read(null);
    const second = await read(first.pageInfo.endCursor);
    expect([first, second].map(({ totalCount, pageInfo }) => [totalCount, pageInfo.hasNextPage])).toEqual([
      [2, true],
      [2, false],
    ]);
    const rows = await rowsOf('end_user');
    expect([...first.nodes, ...second.nodes]).toEqual(
      rows.map((row) => ({ externalId: row['end_user'], firstSeenAt: row['first_seen_at'] })),
    );
  });

  it.each(['charge_day', 'revenue_day', 'margin_day', 'end_user'])(
    '%s has the same rows in each format',
    async (table) => {
      const rows = await rowsOf(table);
      const csv = await open(`${table}?period=2026-03`);
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${table}-2026-03.csv"`);
      expect(parse(csv.text, { columns: true })).toEqual(
        rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')]))),
      );
      const parquet = await open(`${table}?period=2026-03&format=parquet`);
      expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
      expect((await readParquet(parquet.bytes)).map(asJson)).toEqual(rows);
    },
  );

  it.each([
    ['charge_day', 'costs { totalCost }', ['effective_amount']],
    ['margin_day', 'margin { total { totalRevenue totalCost marginAmount } }', ['revenue', 'cost', 'margin']],
    ['revenue_day', 'margin { total { totalRevenue } }', ['recognized']],
  ] as const)('DuckDB sums %s in Parquet to the figures of GraphQL', async (table, selection, columns) => {
    const { window } = await graph(selection);
    const { totalCost, totalRevenue, marginAmount } = window.costs ?? window.margin.total;
    const expected: Row = {
      effective_amount: totalCost,
      cost: totalCost,
      revenue: totalRevenue,
      recognized: totalRevenue,
      margin: marginAmount,
    };
    const { bytes } = await open(`${table}?period=2026-03&format=parquet`);
    const sums = columns.map((name) => `sum(${name}) as ${name}`).join(', ');
    const [row] = await queryParquet(bytes, `select ${sums} from file`);
    expect(row).toEqual(Object.fromEntries(columns.map((name) => [name, padded(expected[name] as string)])));
  });

  it('DuckDB reads the other tables', async () => {
    const read = async (table: string, query: string) =>
      queryParquet((await open(`${table}?period=2026-03&format=parquet`)).bytes, query);
    expect(await read('end_user', "select end_user, first_seen_at from file where name = 'Acme Inc.'")).toEqual([
      { end_user: 'acme', first_seen_at: expect.stringMatching(/^2026-02-28 10:00:00/) },
    ]);
    const rate = `select distinct price from file where model = 'gpt-4o' and provider = 'openai' and class = 'input' and context = ''`;
    expect(await read('rate_history', rate)).toEqual([{ price: '2.500000000000000' }]);
  });

  it('is CSV that no spreadsheet evaluates; JSON contains the values as sent', async () => {
    expect((await open('charge_day?period=2026-03&grain=agent')).text).toContain(
      `"'=HYPERLINK(""http://evil.example"")"`,
    );
    expect((await rowsOf('charge_day', '&grain=agent')).map(({ agent }) => agent)).toContain(FORMULA);
  });

  it('covers one day, and by default the current month up to now', async () => {
    const { text } = await open('charge_day?period=2026-03-02&format=jsonl');
    expect(
      new Set(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).day),
      ),
    ).toEqual(new Set(['2026-03-02']));
    const { headers } = await open('charge_day');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="charge_day-${new Date().toISOString().slice(0, 7)}.csv"`,
    );
  });
});

/** Dates and instants as text, integers as numbers. */
function asJson(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Date
        ? value.toISOString().slice(0, name === 'day' ? 10 : undefined)
        : typeof value === 'bigint'
          ? Number(value)
          : (value ?? null),
    ]),
  );
}

describe('400', () => {
  it.each([
    ['period=2026-13', /period must be a month/],
    ['period=2026-02-30', /period must be a month/],
    ['period=9000-01', /in the future/],
    ['period=2026-03&period=2026-04', /given once/],
    ['format=xlsx', /format must be one of csv, jsonl, parquet/],
    ['grain=model', /grain of charge_day must be one of sku, customer, agent/],
  ])('to %s', async (query, message) => {
    expectEnvelope(await open(`charge_day?${query}`), 400, 'VALIDATION_ERROR', message);
  });

  it('to the grain of another table', async () => {
    const message = /grain of rate_history must be sku/;
    expectEnvelope(await open('rate_history?grain=agent'), 400, 'VALIDATION_ERROR', message);
  });

  it('to a parameter that does not exist', async () => {
    const message = /^There is no parameter month: use period, grain, format, version$/;
    expectEnvelope(await open('margin_day?month=2026-03'), 400, 'VALIDATION_ERROR', message);
  });
});

describe('401', () => {
  it('without a key', async () => {
    expectEnvelope(await open('charge_day', null), 401, 'UNAUTHORIZED');
  });
});

describe('403', () => {
  it.each([
    ['charge_day', /costs:read/],
    ['margin_day', /revenue:read/],
  ])('to a key without the scope of %s', async (table, scope) => {
    expectEnvelope(await open(table, service.firstRun.live_ingest_key), 403, 'FORBIDDEN', scope);
  });
});

describe('404', () => {
  it('for an unknown table', async () => {
    expectEnvelope(await open('secrets'), 404, 'NOT_FOUND', /charge_day, revenue_day/);
  });
});

describe('429', () => {
  it('to a third export of the organization at the same time', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await open('margin_day?period=2026-03')).status),
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(statuses).toContain(429);
    expect((await open('charge_day')).status).toBe(200);
  });
});
