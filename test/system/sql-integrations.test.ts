/** Every SQL statement of `integrations/`, run with the role of an organization. Expected values come from the graph. */
import { readdirSync, readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start as startProcessor, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { graphql } from '../support/api-client.ts';
import { padded } from '../support/duckdb.ts';
import { projectPath } from '../support/project-files.ts';
import { renderDbt } from '../support/render-dbt.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { connectTool, grantSqlAccess, removeSqlAccess } from '../support/sql-access.ts';
import { usageEvent } from '../support/usage-event.ts';

let service: ServiceWithEvents;
let processor: StripeStandIn;
let clients: Readonly<Record<string, pg.Client>>;
let march: any;
beforeAll(async () => {
  processor = await startProcessor();
  service = await serviceWithEvents([
    usageEvent({ event_invoked_at: '2026-03-01T10:00:00Z', user_id: 'acme' }),
    usageEvent({ event_invoked_at: '2026-03-31T10:00:00Z', user_id: 'tiny', cost_override: '0.000000000000001' }),
    usageEvent({ event_invoked_at: '2026-03-31T11:00:00Z' }),
    usageEvent({ event_invoked_at: new Date().toISOString(), user_id: 'today', cost_override: '3' }),
  ]);
  const start = Date.parse('2026-02-10T12:34:56Z') / 1000;
  const acme = addCustomer(processor.account, { name: 'Acme Inc.', metadata: { user_id: 'acme' } });
  addInvoice(processor.account, { customer: acme, lines: [{ amount: 10_007, start, end: start + 400 * 86_400 }] });
  await service.operate(`mutation {
    revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } }
    revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } }
  }`);
  const { body } = await graphql(
    service.url,
    service.firstRun.live_read_key,
    `{ window(start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z") {
      costs { totalCost eventCount } chargeDays { totalListAmount } margin { total { totalRevenue totalCost marginAmount } }
    } }`,
    {},
  );
  march = body.data.window;
  const login = await grantSqlAccess(service);
  clients = {
    attribution: await connectTool(service, 'attribution', login),
    revenue: await connectTool(service, 'revenue', login),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()));
  await removeSqlAccess(service);
  await service.stop();
  await processor.stop();
});

type Row = Readonly<Record<string, string | null>>;

/** Values are texts as PostgreSQL prints them. */
async function ask(database: string, text: string): Promise<{ rows: Row[]; fields: pg.FieldDef[] }> {
  return clients[database]!.query({
    text,
    types: { getTypeParser: () => (value: unknown) => value },
  } as never) as never;
}

/** In 10⁻¹⁵. */
function sumOf(rows: readonly Row[], column: string): bigint {
  return rows.reduce((sum, row) => sum + BigInt(padded(row[column]!).replace('.', '')), 0n);
}

const unitsOf = (decimal: string) => sumOf([{ decimal }], 'decimal');

it('the Grafana dashboard', async () => {
  const { panels } = JSON.parse(readFileSync(projectPath('integrations/grafana/books-costs.json'), 'utf8'));
  const results = new Map<string, Row[]>();
  for (const { title, targets, fieldConfig } of panels)
    for (const { refId, rawSql, datasource } of targets) {
      // The time range of Grafana's variables, as Grafana fills it in.
      const text = rawSql
        .replaceAll('$__timeFrom()', "'2026-03-01T00:00:00Z'")
        .replaceAll('$__timeTo()', "'2026-03-31T23:59:59Z'");
      const { rows, fields } = await ask(datasource.uid.slice(2, -1), text);
      results.set(`${title} ${refId}`, rows);
      const units = new Map<string, string>(
        fieldConfig.overrides.map(({ matcher, properties }: any) => [matcher.options, properties[0].value]),
      );
      for (const { name } of fields.filter((field) => ['events', 'tokens'].includes(field.name)))
        expect(units.get(name) ?? fieldConfig.defaults.unit, title).toBe('short');
    }
  const { totalCost, eventCount } = march.costs;
  expect(sumOf(results.get('Cost A')!, 'cost')).toBe(unitsOf(totalCost));
  expect(results.get('Saved by discounts A')).toEqual([{ saved: '0.000000000000000' }]);
  expect(results.get('Events A')).toEqual([{ events: String(eventCount) }]);
  expect(sumOf(results.get('Recognized revenue A')!, 'revenue')).toBe(unitsOf(march.margin.total.totalRevenue));
  for (const title of ['Cost by model A', 'Cost by customer A', 'Margin by customer A'])
    expect(sumOf(results.get(title)!, 'cost'), title).toBe(unitsOf(totalCost));
  expect(sumOf(results.get('Margin by customer B')!, 'revenue')).toBe(unitsOf(march.margin.total.totalRevenue));
  expect(results.get('Tokens by class A')!.map(({ time }) => time)).toContain('2026-03-01 00:00:00');
});

it('the questions for Metabase', async () => {
  const folder = projectPath('integrations/metabase');
  const results: Record<string, Row[]> = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sql'))) {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    results[file] = (await ask(/^-- Database: (\w+)\n/.exec(text)![1]!, text)).rows;
  }
  expect(results['cost-by-month.sql']!.find(({ month }) => month === '2026-03-01')).toEqual({
    month: '2026-03-01',
    cost: padded(march.costs.totalCost),
    list_cost: padded(march.chargeDays.totalListAmount),
  });
  expect(results['cost-by-customer.sql']).toEqual([{ customer: 'today', cost: '3.000000000000000', events: '1' }]);
  expect(results['cost-by-model.sql']).toMatchObject([{ cost: '3.000000000000000' }]);
  expect(results['cache-share.sql']).toContainEqual({ day: '2026-03-01', cached_percent: '0.0' });
  expect(results['revenue-by-customer.sql']).toMatchObject([{ customer: 'Acme Inc.', end_user: 'acme' }]);
  expect(Object.keys(results)).toHaveLength(5);
});

const DUCKDB_TYPES: Readonly<Record<number, string>> = {
  [pg.types.builtins.DATE]: 'date',
  [pg.types.builtins.NUMERIC]: 'decimal(38, 15)',
  [pg.types.builtins.INT8]: 'bigint',
};

it('the dbt project', async () => {
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  const query = async (text: string) =>
    (await duckdb.runAndReadAll(`select columns(*)::varchar from (${text})`)).getRowObjectsJson() as unknown as Row[];
  const literal = (value: string | null) => (value === null ? 'null' : pg.escapeLiteral(value));
  for (const { name, database, sql } of renderDbt('models/staging')) {
    const { rows, fields } = await ask(database!, sql);
    const columns = fields.map((field) => `${field.name} ${DUCKDB_TYPES[field.dataTypeID] ?? 'varchar'}`);
    await duckdb.run(`create table ${name} (${columns.join(', ')})`);
    const values = rows.map((row) => `(${fields.map((field) => literal(row[field.name]!)).join(', ')})`);
    await duckdb.run(`insert into ${name} values ${values.join(', ')}`);
  }
  for (const { name, sql } of renderDbt('models/marts')) await duckdb.run(`create table ${name} as ${sql}`);
  const margins = await query("from customer_margins_monthly where month = '2026-03-01'");
  const { totalRevenue, totalCost, marginAmount } = march.margin.total;
  expect([sumOf(margins, 'revenue'), sumOf(margins, 'cost'), sumOf(margins, 'margin')]).toEqual(
    [totalRevenue, totalCost, marginAmount].map(unitsOf),
  );
  expect(margins.map(({ customer }) => customer).toSorted()).toEqual(['', 'acme', 'tiny']);
  const models = await query("from model_costs_monthly where month = '2026-03-01'");
  expect(sumOf(models, 'cost')).toBe(unitsOf(march.costs.totalCost));
  for (const { name, sql } of renderDbt('tests')) expect(await query(sql), name).toEqual([]);
  const described = readFileSync(projectPath('integrations/dbt/models/marts/schema.yml'), 'utf8');
  for (const [, model, columns] of described.matchAll(/ {2}- name: (\w+)\n[^]*?columns:\n([^]*?)(?=\n {2}- name|$)/g))
    for (const [, column] of columns!.matchAll(/- name: (\w+)/g))
      expect(await query(`from ${model} where ${column} is null`), `${model}.${column}`).toEqual([]);
  duckdb.closeSync();
});
