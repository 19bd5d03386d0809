/** SQL access for BI tools: what its role reads equals the graph, and it reads and does nothing else. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { migrate } from '#platform/database/migrations/migrate.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { createSqlAccess, listGaps, sqlAccessStatements } from '#platform/database/sql-access/create-sql-access.ts';
import { describeRemainingRole, endSqlAccess } from '#platform/database/sql-access/end-sql-access.ts';
import { IS_REPORT_SESSION, withoutReportViews } from '#platform/database/sql-access/report-views.ts';
import { scramVerifier } from '#platform/database/sql-access/scram-verifier.ts';
import { READERS, sqlRole } from '#platform/database/sql-access/sql-roles.ts';
import { endLongReportsJob } from '#platform/subgraph/end-long-reports-job.ts';
import { openSubgraphDatabase } from '#platform/subgraph/subgraph.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start as startProcessor, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { definitions } from '../../start/definitions.ts';
import { attribution } from '../../subgraphs/attribution/main.ts';
import { runAdmin } from '../../cli/admin/run-admin.ts';
import { graphql } from '../support/api-client.ts';
import { freshTarget } from '../support/fresh-database.ts';
import { getExport } from '../support/get-export.ts';
import { urlOf } from '../support/running-service.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../support/service-with-events.ts';
import { connectTool, grantSqlAccess, removeSqlAccess, type SqlLogin } from '../support/sql-access.ts';
import { usageEvent } from '../support/usage-event.ts';

const event = (day: string, more: object) => usageEvent({ event_invoked_at: `${day}T10:00:00Z`, ...more });

let service: ServiceWithEvents;
let other: ServiceWithEvents;
let processor: StripeStandIn;
let login: SqlLogin;
let otherLogin: SqlLogin;
const opened: pg.Client[] = [];

beforeAll(async () => {
  processor = await startProcessor();
  service = await serviceWithEvents([
    event('2026-03-01', { user_id: 'acme' }),
    event('2026-03-01', { user_id: 'acme', metadata: { service_tier: 'batch' } }),
    event('2026-03-02', { user_id: 'tiny', cost_override: '0.000000000000001' }),
    event('2026-03-31', { user_id: 'acme', cost_override: '123456789.123456789012345' }),
    event('2026-03-31', {}),
    event('2026-04-01', { user_id: 'late' }),
  ]);
  const span = { start: Date.parse('2026-02-10T12:34:56Z') / 1000, end: Date.parse('2026-04-20T01:02:03Z') / 1000 };
  const acme = addCustomer(processor.account, { name: 'Acme Inc.', metadata: { user_id: 'acme' } });
  addInvoice(processor.account, { customer: acme, lines: [{ amount: 10_007, ...span }] });
  const stranger = addCustomer(processor.account, { name: 'Initech' });
  addInvoice(processor.account, { customer: stranger, lines: [{ amount: 1_001, ...span }] });
  const unnamed = addCustomer(processor.account, { metadata: { user_id: 'late' } });
  addInvoice(processor.account, { customer: unnamed, lines: [{ amount: 501, ...span }] });
  await service.operate(`mutation {
    revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } }
    revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } }
    rateSet(input: { model: "own-model", input: "1.5", output: "3" }) { userErrors { message } }
  }`);
  other = await serviceWithEvents([event('2026-03-01', { user_id: 'secret', cost_override: '7' })]);
  for (const [name, value] of Object.entries(settings())) vi.stubEnv(name, value);
  const { code, out: printed, err } = await operator('create', service.firstRun.organization_id, '--json');
  expect([code, err]).toEqual([0, '']);
  const created = JSON.parse(printed);
  login = { user: created.user, password: created.password };
  expect(created.databases).toMatchObject([
    { database: service.target('costing').dbName, views: ['report.rate_history'] },
    { views: ['report.charge_day', 'report.cost_day', 'report.end_user'] },
    { views: ['report.revenue_day'] },
  ]);
  // Other test files have databases on this server. Everything else is forbidden.
  expect(created.also_allowed).toContain('connect to database postgres');
  expect(created.also_allowed.filter((gap: string) => !gap.startsWith('connect to database '))).toEqual([]);
  otherLogin = await grantSqlAccess(other);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.end()));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await removeSqlAccess(service);
  await removeSqlAccess(other);
  await other.stop();
  await service.stop();
  await processor.stop();
});

/** The operator's command line on the databases of the shared service. */
function settings(): Record<string, string> {
  return {
    ADMIN_URL: service.url,
    ADMIN_TOKEN: service.firstRun.operator_token,
    DATA_DIR: service.dataDirectory,
    ...Object.fromEntries(
      SUBGRAPH_NAMES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(service.target(name))]),
    ),
  };
}

/** The command, whose part that opens databases is another process. */
async function operator(action: string, organizationId: string, ...flags: string[]) {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err') };
  return {
    code: await runAdmin(['sql-access', action, '--organization', organizationId, ...flags], terminal),
    ...written,
  };
}

/** A BI tool's connection. It is closed after the test. */
async function connect(subgraph: string, as = login): Promise<pg.Client> {
  const client = await connectTool(service, subgraph, as);
  opened.push(client);
  return client;
}

async function ask(database: string, text: string, as = login): Promise<any[]> {
  return (await (await connect(database, as)).query(text)).rows;
}

const MARCH = "day >= '2026-03-01' and day < '2026-04-01'";
const total = (column: string) => `trim_scale(sum(${column}))::text as ${column}`;

async function march(selection: string): Promise<any> {
  const window = 'start: "2026-03-01T00:00:00Z", end: "2026-04-01T00:00:00Z"';
  const { body } = await graphql(
    service.url,
    service.firstRun.live_read_key,
    `{ window(${window}) { ${selection} } }`,
    {},
  );
  expect(body.errors).toBeUndefined();
  return body.data.window;
}

async function exported(table: string): Promise<any[]> {
  const { text } = await getExport(service.url, `${table}?period=2026-03&format=jsonl`, service.firstRun.live_read_key);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted();

describe('the views equal the graph', () => {
  const charges = () =>
    ask(
      'attribution',
      `select day::text, provider, model, context, class, unit, trim_scale(quantity)::text as quantity, trim_scale(list_amount)::text as list_amount,
        trim_scale(contracted_amount)::text as contracted_amount, trim_scale(effective_amount)::text as effective_amount,
        trim_scale(corrections)::text as corrections, events::int from charge_day where ${MARCH}`,
    );

  it('charges by day', async () => {
    const { chargeDays } = await march('chargeDays { totalAmount totalListAmount }');
    const [sums] = await ask(
      'attribution',
      `select ${total('contracted_amount')}, ${total('list_amount')} from charge_day where ${MARCH}`,
    );
    expect(sums).toEqual({ contracted_amount: chargeDays.totalAmount, list_amount: chargeDays.totalListAmount });
    expect(sorted(await charges())).toEqual(sorted(await exported('charge_day')));
  });

  it('charges of a day that is not rolled up yet', async () => {
    const before = await charges();
    const id = service.firstRun.organization_id;
    await withClient(service.target('attribution'), async (client) => {
      await client.query('begin');
      for (const table of ['charge_day', 'rollup_hour', 'rollup_day'])
        await client.query(
          `delete from ${table} where organization_id = $1 and bucket >= '2026-03-01Z' and bucket < '2026-03-02Z'`,
          [id],
        );
      await client.query("insert into pending_day values ($1, '2026-03-01', 0, 2, now())", [id]);
      await client.query('commit');
    });
    expect(sorted(await charges())).toEqual(sorted(before));
  });

  it('costs by end user and day', async () => {
    const { costs } = await march('costs { totalCost }');
    expect(await ask('attribution', `select ${total('cost')} from cost_day where ${MARCH}`)).toEqual([
      { cost: costs.totalCost },
    ]);
    const margins = (await exported('margin_day')).filter(({ cost }) => cost !== '0');
    expect(
      sorted(
        await ask(
          'attribution',
          `select day::text, end_user, trim_scale(cost)::text as cost from cost_day where ${MARCH}`,
        ),
      ),
    ).toEqual(sorted(margins.map(({ day, end_user, cost }) => ({ day, end_user, cost }))));
  });

  it('revenue by customer and day, whatever the time zone of the session', async () => {
    const client = await connect('revenue');
    await client.query("set timezone = 'America/New_York'");
    const { rows } = await client.query(
      `select day::text, end_user, name, currency, trim_scale(recognized)::text as recognized from revenue_day where ${MARCH}`,
    );
    const expected = await exported('revenue_day');
    expect(sorted(rows)).toEqual(sorted(expected.map(({ customer: _, ...row }) => row)));
    expect(rows).toHaveLength(93);
    expect(rows).toContainEqual(expect.objectContaining({ end_user: 'late', name: 'late' }));
    const { margin } = await march('margin { total { totalRevenue } }');
    expect(await ask('revenue', `select ${total('recognized')} from revenue_day where ${MARCH}`)).toEqual([
      { recognized: margin.total.totalRevenue },
    ]);
  });

  it('rates and end users', async () => {
    const rates = await ask(
      'costing',
      `select rate_card_id, rate_card_version_id, model, provider, negotiated, to_json(effective_from)#>>'{}' as effective_from,
        unit, class, context, above_input_tokens::int, trim_scale(price)::text as price, trim_scale(factor)::text as factor, source
       from rate_history where coalesce(effective_from < '2026-04-01Z', true) and coalesce(effective_to > '2026-03-01Z', true)`,
    );
    const instant = (text: string | null) => (text === null ? null : new Date(text).toISOString());
    const known = await exported('rate_history');
    expect(sorted(rates.map((rate) => ({ ...rate, effective_from: instant(rate.effective_from) })))).toEqual(
      sorted(known.map(({ effective_to: _, ...rate }) => ({ ...rate, effective_from: instant(rate.effective_from) }))),
    );
    expect(rates.filter(({ negotiated }) => negotiated).map(({ model }) => model)).toContain('own-model');
    const users = await ask(
      'attribution',
      "select end_user, end_user_id from end_user where first_seen_at < '2026-04-01Z'",
    );
    expect(sorted(users)).toEqual(
      sorted((await exported('end_user')).map(({ end_user, end_user_id }) => ({ end_user, end_user_id }))),
    );
  });

  it('every column is that of the same name', async () => {
    const id = service.firstRun.organization_id;
    const columns = 'bucket, provider, model, context, charge_class, unit, agreement, quantity, list_amount, amount';
    await withClient(service.target('attribution'), async (client) => {
      await client.query(
        `insert into charge_day (organization_id, ${columns}, corrections, event_count) values
          ($1, '2025-05-31T00:00:00Z', 'a provider', 'a model', 'tier=batch', 'input', 'token', '', 11, 12, 13, 14, 15),
          ($1, '2025-05-31T00:00:00Z', 'a provider', 'a model', 'tier=batch', 'input', 'token', 'a discount', 100, 200, 300, 400, 500)`,
        [id],
      );
    });
    expect(await ask('attribution', "select *, day::text from charge_day where day < '2026-01-01'")).toEqual([
      {
        day: '2025-05-31',
        provider: 'a provider',
        model: 'a model',
        context: 'tier=batch',
        class: 'input',
        unit: 'token',
        quantity: '111.000000000000000',
        list_amount: '212.000000000000000',
        contracted_amount: '313.000000000000000',
        effective_amount: '313.000000000000000',
        corrections: '414.000000000000000',
        events: '515',
      },
    ]);
    await withClient(service.target('attribution'), async (client) => {
      await client.query("delete from charge_day where organization_id = $1 and bucket < '2026-01-01Z'", [id]);
    });
  });

  it('a price that another one has replaced is not in the history', async () => {
    const rate = (input: string) => `
      mutation { rateSet(input: { model: "replaced", input: "${input}", output: "3", effectiveFrom: "2099-01-01T00:00:00Z" }) { userErrors { message } } }`;
    for (const input of ['1', '2']) expect((await service.operate(rate(input))).rateSet.userErrors).toEqual([]);
    expect(
      await ask(
        'costing',
        "select class, trim_scale(price)::text as price from rate_history where model = 'replaced' and effective_from = '2099-01-01Z' order by 1",
      ),
    ).toEqual([
      { class: 'input', price: '2' },
      { class: 'output', price: '3' },
    ]);
  });

  it('another organization reads its own rows', async () => {
    expect(await ask('attribution', 'select end_user, cost::text from cost_day', otherLogin)).toEqual([
      { end_user: 'secret', cost: '7.000000000000000' },
    ]);
    expect(await ask('revenue', 'select * from revenue_day', otherLogin)).toEqual([]);
    expect(await ask('costing', 'select * from rate_history where negotiated', otherLogin)).toEqual([]);
  });
});

describe('an attacker with the role', () => {
  it.each([
    'select * from public.charge_day',
    'select * from public.cost_fact',
    'select * from public.audit_record',
    'select * from report.reader',
    'insert into report.reader values (session_user, gen_random_uuid())',
    'set role attribution_report',
    'set role attribution_serving',
    'set role attribution_jobs',
    'set session authorization postgres',
    'create temporary table mine (a int)',
    'create table report.mine (a int)',
    'create table public.mine (a int)',
    'create schema mine',
    'create function report.mine() returns int language sql as $$ select 1 $$',
    'create function pg_temp.mine(text) returns boolean language sql cost 0.0001 as $$ select true $$',
    'delete from report.cost_day',
    "update report.end_user set end_user = 'x'",
    'insert into report.end_user values (null, null, null)',
    'create role mine',
    'alter role current_user connection limit 100',
    'alter role current_user superuser',
    'alter role current_user bypassrls',
    'select lo_create(0)',
    "select lo_export(0, '/tmp/x')",
    "select lo_from_bytea(0, 'x')",
    'select pg_advisory_lock(727000)',
    'select pg_try_advisory_lock_shared(727005)',
    "select pg_logical_emit_message(false, 'x', 'x')",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('.')",
    "copy report.end_user to program 'true'",
    "copy report.end_user to '/tmp/end-users'",
    'set temp_file_limit = -1',
    'select * from pg_authid',
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'",
  ])('may not %s', async (text) => {
    const client = await connect('attribution');
    await client.query(
      'set default_transaction_read_only = off; set statement_timeout = 0; set transaction read write',
    );
    const { rows } = await client.query('select count(*)::int as rows from end_user').catch(() => ({ rows: [] }));
    expect(rows).toEqual([{ rows: 3 }]);
    await expect(client.query(text)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|55000)$/) });
  });

  it('sees the same rows whatever it sets, and no error shows other rows', async () => {
    const client = await connect('attribution');
    await client.query(
      `set app.organization_id = '${other.firstRun.organization_id}'; set row_security = on; set search_path = report, public`,
    );
    const probe =
      "select end_user from end_user where 1 / (case when end_user = 'secret' then 0 else 1 end) = 1 order by 1";
    expect((await client.query(probe)).rows.map(({ end_user }) => end_user)).toEqual(['acme', 'late', 'tiny']);
    await client.query('set row_security = off');
    await expect(client.query(probe)).rejects.toMatchObject({ code: '42501' });
  });

  it.each(['identity', 'alerting', 'reconciliation'])('may not connect to %s', async (database) => {
    await expect(connect(database)).rejects.toMatchObject({ code: '42501' });
  });

  it('has five connections', async () => {
    for (let count = 0; count < 5; count++) await connect('attribution');
    await expect(connect('attribution')).rejects.toMatchObject({ code: '53300' });
  });

  it('cannot keep a transaction open, even if it lifts its time limits', async () => {
    const client = await connect('attribution');
    await client.query('set idle_in_transaction_session_timeout = 0; set statement_timeout = 0');
    await client.query('begin; select 1');
    const database = await openSubgraphDatabase(attribution, service.target('attribution'));
    try {
      await endLongReportsJob({ database }, { secondsMax: 0 }).step();
    } finally {
      await database.close();
    }
    await expect(client.query('select 1')).rejects.toThrow(/terminat|not queryable/i);
  });
});

/** Any role may do this. PostgreSQL does not drop a role that has default privileges in any database. */
async function setDefaultPrivileges(client: pg.Client): Promise<void> {
  await client.query('set default_transaction_read_only = off');
  await client.query('alter default privileges grant select on tables to public');
}

describe('the life of a role', () => {
  it('views are replaced when their definition changes', async () => {
    const target = await freshTarget('attribution');
    const organizationId = service.firstRun.organization_id;
    await createSqlAccess(
      { name: 'attribution', reportViews: attribution.reportViews!, target },
      { organizationId, verifier: scramVerifier(login.password) },
    );
    const database = await openSubgraphDatabase(attribution, target);
    await withClient(target, (client) => client.query('create view report.of_operator as select 1 as one'));
    const connectAgain = () => connectTool({ ...service, target: () => target }, 'attribution', login);
    const tool = await connectAgain();
    opened.push(tool);
    await tool.query('begin; select * from end_user');
    const columns = async () =>
      (
        await withClient(target, (client) =>
          client.query<{ name: string }>(
            "select attname as name from pg_attribute where attrelid = 'report.end_user'::regclass and attnum > 0 order by attnum",
          ),
        )
      ).rows.map(({ name }) => name);
    try {
      const changed = { name: 'end_user', tables: ['end_user'], query: 'select external_id as changed from end_user' };
      await withClient(target, (client) =>
        withoutReportViews(client, { ...database, reportViews: [changed] }, () =>
          expect(connectAgain()).rejects.toMatchObject({ code: '42501' }),
        ),
      );
      await expect(tool.query('select 1')).rejects.toThrow(/terminat|not queryable/i);
      expect(await columns()).toEqual(['changed']);
      await migrate(database);
      expect(await columns()).toEqual(['end_user', 'end_user_id', 'first_seen_at']);
      opened.push(await connectAgain());
      expect((await opened.at(-1)!.query('select * from end_user')).rows).toEqual([]);
      await withClient(target, (client) => client.query('select one from report.of_operator'));
    } finally {
      await database.close();
    }
  });

  it('views of others that use the views stop an upgrade before it changes anything, and are named', async () => {
    const target = await freshTarget('attribution');
    await createSqlAccess(
      { name: 'attribution', reportViews: attribution.reportViews!, target },
      { organizationId: service.firstRun.organization_id, verifier: scramVerifier(login.password) },
    );
    const database = await openSubgraphDatabase(attribution, target);
    const changed = { ...database, reportViews: database.reportViews.slice(1) };
    const execute = (sql: string) => withClient(target, (client) => client.query(sql));
    const upgrade = () => withClient(target, (client) => withoutReportViews(client, changed, async () => 'done'));
    try {
      await execute(`create schema bi; create view bi.mine as select * from report.end_user;
        create materialized view bi.counted as select count(*) from bi.mine; create view bi.other as select 1 as one;
        create function bi.number() returns bigint language sql begin atomic select count(*) from report.end_user; end`);
      await expect(upgrade()).rejects.toThrow(
        `This version replaces the views in schema report of database ${target.dbName}, but others use them: function bi.number(), materialized view bi.counted, view bi.mine. Save their definitions`,
      );
      // Nothing has changed: tools still read, and the present version still starts.
      const tool = await connectTool({ ...service, target: () => target }, 'attribution', login);
      opened.push(tool);
      expect((await tool.query('select * from end_user')).rows).toEqual([]);
      await migrate(database);
      await execute('drop function bi.number(); drop view bi.mine cascade');
      expect(await upgrade()).toBe('done');
      await execute('select one from bi.other');
    } finally {
      await database.close();
    }
  });

  it("an operator's own schema `report` is not touched", async () => {
    const target = await freshTarget('attribution');
    const database = await openSubgraphDatabase(attribution, target);
    const organizationId = service.firstRun.organization_id;
    const named = { name: 'attribution', reportViews: attribution.reportViews!, target };
    try {
      await withClient(target, async (client) => {
        await client.query('create schema report');
        await client.query(
          'create table report.reader (one int); create view report.mine as select one from report.reader',
        );
        await migrate(database);
        await client.query('select one from report.mine');
      });
      expect(await endSqlAccess(named, organizationId)).toBe(false);
      await expect(createSqlAccess(named, { organizationId, verifier: '' })).rejects.toThrow(
        'has a schema "report" of',
      );
    } finally {
      await database.close();
    }
  });

  it('an administrator creates the role for an account that may not, on a server that was upgraded from version 14', async () => {
    const server = await freshTarget('attribution');
    const account = { user: `limited_${Date.now()}`, password: 'a limited password' };
    const target = { ...server, ...account };
    const database = { name: 'attribution', reportViews: attribution.reportViews!, target };
    const organizationId = randomUUID();
    const tool = { user: sqlRole(organizationId), password: 'a password of a tool' };
    await withClient(server, async (administrator) => {
      await administrator.query(`create role ${account.user} login password '${account.password}'`);
      try {
        await administrator.query('grant create on schema public to public');
        const statements = sqlAccessStatements(database, { organizationId, verifier: scramVerifier(tool.password) });
        await administrator.query(['begin', ...statements, 'commit'].join(';\n'));
        expect(await listGaps(database, organizationId)).not.toContainEqual(expect.stringContaining('create tables'));
        await withClient(target, (client) => client.query('create table public.of_next_migration (a int)'));
        const { rows } = await administrator.query(
          `select has_function_privilege('${account.user}', 'lo_export(oid, text)', 'execute') as "writesFiles"`,
        );
        expect(rows).toEqual([{ writesFiles: false }]);
        // An account that may create roles runs the statements itself. It has the admin option on roles that it created.
        await administrator.query(`grant ${READERS} to ${account.user} with admin option`);
        await withClient(target, async (client) => {
          await client.query(statements.find((statement) => statement.includes('guarded'))!);
          const sessions = await client.query(`select from pg_stat_activity where ${IS_REPORT_SESSION}`);
          expect(sessions.rowCount).toBe(0);
        });
        // As if the account had run the statements: PostgreSQL only warns that it may not revoke this right.
        await administrator.query('grant create on schema public to public');
        expect(await listGaps(database, organizationId)).toContain(
          `create tables in schema public of database ${target.dbName}`,
        );
        const client = await connectTool({ ...service, target: () => server }, 'attribution', tool);
        opened.push(client);
        expect(await endSqlAccess(database, organizationId)).toBe(true);
        await expect(client.query('select 1')).rejects.toThrow(/terminat|not queryable/i);
        expect(await describeRemainingRole(database, organizationId)).toBe(
          `Role ${tool.user} can no longer read any rows. An administrator of PostgreSQL created it and must drop it: drop role ${tool.user}`,
        );
        await endSqlAccess({ ...database, target: server }, organizationId);
        expect(await describeRemainingRole(database, organizationId)).toBeNull();
      } finally {
        await administrator.query(`drop owned by ${account.user}; drop role ${account.user}`);
      }
    });
  });

  it('an account that may not create roles gets an error that says what to do', async () => {
    const target = { ...service.target('attribution'), dbName: 'postgres' };
    const account = { user: `limited_${Date.now()}`, password: 'a limited password' };
    await withClient(target, (client) =>
      client.query(`create role ${account.user} login password '${account.password}'`),
    );
    try {
      await expect(
        createSqlAccess(
          { name: 'attribution', reportViews: attribution.reportViews!, target: { ...target, ...account } },
          { organizationId: service.firstRun.organization_id, verifier: '' },
        ),
      ).rejects.toThrow(`The account ${account.user} may not create roles. Run this command with --print-sql`);
    } finally {
      await withClient(target, (client) => client.query(`drop role ${account.user}`));
    }
  });

  it('the printed SQL is what the command runs', async () => {
    const organizationId = service.firstRun.organization_id;
    const { code, out: printed } = await operator('create', organizationId, '--print-sql');
    expect(code).toBe(0);
    const verifier = /password '(SCRAM[^']+)'/.exec(printed)![1]!;
    for (const { name, reportViews = [] } of definitions) {
      const target = service.target(name);
      expect(printed).toContain(`\\connect ${target.dbName}\n`);
      for (const statement of sqlAccessStatements({ name, reportViews, target }, { organizationId, verifier }))
        expect(printed).toContain(`${statement};\n`);
    }
  });

  it('an unknown organization gets no role', async () => {
    expect(await operator('create', '00000000-0000-4000-8000-000000000099')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('not found'),
    });
  });

  it('the access ends when the data of the organization is deleted', async () => {
    const id = other.firstRun.organization_id;
    const client = await connectTool(other, 'revenue', otherLogin);
    opened.push(client);
    await setDefaultPrivileges(client);
    const { attributionDataDelete } = await other.operate(
      `mutation { attributionDataDelete(input: { id: "${id}" }) { deletedRows { isFinished } userErrors { message } } }`,
    );
    expect(attributionDataDelete).toEqual({ deletedRows: { isFinished: true }, userErrors: [] });
    await expect(client.query('select * from revenue_day')).rejects.toThrow(/terminat|not queryable/i);
    await expect(connect('costing', otherLogin)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
  });

  it('is revoked by the command line', async () => {
    for (const database of ['attribution', 'revenue']) await setDefaultPrivileges(await connect(database));
    expect(await operator('revoke', service.firstRun.organization_id)).toMatchObject({
      code: 0,
      out: `Removed the role ${login.user}.\n`,
    });
    await expect(connect('attribution')).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
  });
});
