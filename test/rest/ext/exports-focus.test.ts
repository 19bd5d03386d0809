/** FOCUS files of random books: valid by both models, equal to GraphQL, and without differences in our own reader. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphql, postExt } from '../../support/api-client.ts';
import { padded, queryParquet } from '../../support/duckdb.ts';
import { expectEnvelope } from '../../support/envelope.ts';
import { type FocusRow, violationsOf12 } from '../../support/focus/check-focus-1-2.ts';
import { violationsOf14 } from '../../support/focus/check-focus-1-4.ts';
import { getExport } from '../../support/get-export.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';

const MARCH = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' };
const VERSIONS = ['1.2', '1.4'] as const;

/** Names with separators, quotes, formulas and other scripts. */
const names = fc.constantFrom('ann', 'Größe, "8"', '=1+1', '日本/語', ' spaced ');
const events = fc.record(
  {
    model: fc.constantFrom('gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'o3/own,"model"'),
    input_tokens: fc.nat(3_000_000),
    output_tokens: fc.nat(100_000),
    event_invoked_at: fc.date({
      min: new Date(MARCH.start),
      max: new Date('2026-03-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    user_id: names,
    cost_override: fc.constantFrom('0.000000000000001', '123456.789'),
    metadata: fc.constantFrom({ service_tier: 'batch' }, { agent_id: 'support' }, { agent_id: '-2' }),
  },
  { requiredKeys: ['model', 'input_tokens', 'output_tokens', 'event_invoked_at'] },
);

let service: ServiceWithEvents;
let billsKey: string;
beforeAll(async () => {
  const sent = fc.sample(events, 60).map(({ model, event_invoked_at: at, ...more }) =>
    usageEvent({
      ...more,
      model,
      provider: model.startsWith('claude') ? 'anthropic' : model.startsWith('gpt') ? 'openai' : 'azure-openai',
      event_invoked_at: at.toISOString(),
    }),
  );
  // At least one with a discount: list and contracted costs differ.
  sent.push(
    usageEvent({ model: 'gpt-4o', provider: 'openai', event_invoked_at: '2026-03-20T12:00:00Z' }),
    usageEvent({ model: 'o3/own,"model"', provider: 'azure-openai', event_invoked_at: '2026-03-20T12:00:00Z' }),
  );
  service = await serviceWithEvents(sent, [
    `agreementSave(input: { provider: "openai", name: "Contract", from: "2026-03-10", discounts: [{ percent: "12.5" }] }) { userErrors { message } }`,
    `rateSet(input: { model: "o3/own,\\"model\\"", provider: "azure-openai", input: "1.1", output: "4.4" }) { userErrors { message } }`,
  ]);
  const { apiKeyCreate } = await service.operate(
    'mutation { apiKeyCreate(input: { name: "Bills", environment: "live", scopes: ["bills:write", "bills:read"] }) { createdApiKey { secret } userErrors { message } } }',
  );
  billsKey = apiKeyCreate.createdApiKey.secret;
});
afterAll(() => service.stop());

const open = (query: string) => getExport(service.url, `focus?period=2026-03&${query}`, service.firstRun.live_read_key);

async function rowsOf(query: string): Promise<FocusRow[]> {
  const { status, text } = await open(query);
  expect(status).toBe(200);
  const rows: Record<string, string>[] = parse(text, { columns: true });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value])),
  );
}

async function totals(): Promise<{ cost: string; list: string }> {
  const document = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    costs { totalCost } chargeDays { totalListAmount } } }`;
  const { body } = await graphql(service.url, service.firstRun.live_read_key, document, MARCH);
  expect(body.errors).toBeUndefined();
  return { cost: body.data.window.costs.totalCost, list: body.data.window.chargeDays.totalListAmount };
}

describe('200', () => {
  it.each(['sku', 'customer', 'agent'])('files by %s satisfy the static rules of both versions', async (grain) => {
    const supported = ['USAGE_MEASUREMENT_SUPPORTED', 'UNIT_PRICING_SUPPORTED', 'TAGGING_SUPPORTED'];
    const [older, newer] = [await rowsOf(`grain=${grain}`), await rowsOf(`grain=${grain}&version=1.4`)];
    expect(older.length).toBeGreaterThan(50);
    expect(violationsOf12(older, supported)).toEqual([]);
    expect(violationsOf14(newer)).toEqual([]);
    for (const rows of [older, newer]) {
      const keys = rows.map((row) => [row['ChargePeriodStart'], row['SkuPriceId'], row['Tags']].join('\n'));
      expect(new Set(keys).size).toBe(rows.length);
    }
  });

  it.each(VERSIONS.flatMap((version) => ['sku', 'customer', 'agent'].map((grain) => [version, grain] as const)))(
    'DuckDB sums version %s by %s to the figures of GraphQL',
    async (version, grain) => {
      const { bytes, headers } = await open(`version=${version}&grain=${grain}&format=parquet`);
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="focus-${version}${grain === 'sku' ? '' : `-${grain}`}-2026-03.parquet"`,
      );
      const sums = ['ListCost', 'ContractedCost', 'BilledCost', 'EffectiveCost'].map((name) => `sum(${name}) ${name}`);
      const { cost, list } = await totals();
      expect(list).not.toBe(cost);
      expect(await queryParquet(bytes, `select ${sums.join(', ')} from file`)).toEqual([
        {
          ListCost: padded(list),
          ContractedCost: padded(cost),
          BilledCost: padded(cost),
          EffectiveCost: padded(cost),
        },
      ]);
    },
  );

  it('states the day and the month of each charge, and what was charged', async () => {
    const rows = await rowsOf('');
    for (const row of rows) {
      const start = Date.parse(row['ChargePeriodStart']!);
      expect(row).toMatchObject({
        BillingPeriodStart: '2026-03-01T00:00:00Z',
        BillingPeriodEnd: '2026-04-01T00:00:00Z',
        ChargePeriodEnd: new Date(start + 86_400_000).toISOString().replace('.000Z', 'Z'),
      });
    }
    const details = rows.map((row) => [row['SkuMeter'], row['ConsumedUnit'], JSON.parse(row['SkuPriceDetails']!)]);
    expect(details).toContainEqual(['input', 'Tokens', expect.objectContaining({ x_TokenClass: 'input' })]);
    // A slash within a name is escaped, because slashes separate the parts.
    expect(rows.map((row) => row['SkuId'])).toContainEqual(
      expect.stringMatching(/^[^/]+\/o3%2Fown%2C%22model%22\/input\/token$/),
    );
    expect(details).toContainEqual(['override', 'Override', expect.objectContaining({ x_Unit: 'override' })]);
  });

  it('names the customer in tags, as sent, and leaves formulas as they are', async () => {
    const rows = await rowsOf('grain=customer');
    const tags = rows.map((row) => row['Tags']).filter((text) => text !== null);
    expect(new Set(tags)).toContain('{"user_id":"=1+1"}');
    expect(rows.find((row) => row['SkuMeter'] === 'override')).toMatchObject({ ChargeCategory: 'Usage' });
  });

  it.each(VERSIONS)('our own reader of bills finds no difference in a file of version %s', async (version) => {
    const { text } = await open(`version=${version}`);
    const response = await fetch(`${service.url}/ext/v1/bills`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${billsKey}` },
      body: text,
    });
    const bill: any = await response.json();
    expect([response.status, bill]).toEqual([200, expect.objectContaining({ unread_lines: 0 })]);
    const range = { start_date: '2026-03-01', end_date: '2026-04-01', connection_id: bill.connection_id };
    const { body } = await postExt(service.url, '/bill-days', billsKey, range);
    const days = new Set(parse(text, { columns: true }).map((row: any) => row.ChargePeriodStart.slice(0, 10)));
    expect(body.days.map(({ day }: any) => day)).toEqual([...days].sort());
    for (const day of body.days)
      expect(day).toMatchObject({ difference: '0', unexplained: '0', is_unexplained: false, amount_verdict: 'AGREES' });
  });
});

describe('400', () => {
  it.each([
    ['focus?version=1.3', /version of focus must be one of 1.2, 1.4/],
    ['charge_day?version=1.2', /charge_day has no version/],
  ])('to %s', async (path, message) => {
    expectEnvelope(
      await getExport(service.url, path, service.firstRun.live_read_key),
      400,
      'VALIDATION_ERROR',
      message,
    );
  });
});
