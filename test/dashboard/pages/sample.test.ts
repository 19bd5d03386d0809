/**
 * Sample data for an owner: offered, filled across a restart, shown on every page, and removed completely. The
 * organization's own books are unchanged.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readConfig } from '#platform/config.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { createLog } from '#platform/log.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import { type Service, startService } from '../../../start/start-service.ts';
import { get, graphql, post, settle } from '../../support/api-client.ts';
import { freshTarget } from '../../support/fresh-database.ts';
import { type FirstRun, urlOf } from '../../support/running-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { askAs, signedIn, type Visitor, visitor } from '../../support/visitor.ts';
import { MINUTES } from '../../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const BANNER = '<strong>Sample data</strong> – not your data.';
const dataDirectory = mkdtempSync(join(tmpdir(), 'books-sample-'));
const targets = new Map<string, ConnectionTarget>();
let service: Service;
let firstRun: FirstRun;
let owner: Visitor;

async function serve(): Promise<void> {
  const databases = [...targets].map(([name, target]) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(target)]);
  service = await startService(
    readConfig({ DATA_DIR: dataDirectory, PORT: '0', LOG_LEVEL: 'fatal', ...Object.fromEntries(databases) }),
    { log: createLog('fatal') },
  );
}

/** The session survives a restart, since it is stored in the database. */
async function restart(): Promise<void> {
  await service.stop();
  await serve();
  const [session] = [...owner.cookies];
  owner = visitor(service.url);
  owner.cookies.set(...session!);
}

beforeAll(async () => {
  for (const name of SUBGRAPH_NAMES) targets.set(name, await freshTarget(name));
  await serve();
  firstRun = JSON.parse(readFileSync(join(dataDirectory, 'first-run.json'), 'utf8')) as FirstRun;
  owner = await signedIn(service.url, firstRun);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const rows = (subgraph: string, sql: string, parameters: unknown[] = []) =>
  withClient(
    targets.get(subgraph)!,
    async (client) => (await client.query(sql, parameters)).rows as Record<string, any>[],
  );

async function waitFor<Found>(look: () => Promise<Found | null | false>): Promise<Found> {
  for (let looks = 0; looks < 600; looks++) {
    const found = await look();
    if (found !== null && found !== false) return found;
    await pause(100);
  }
  throw new Error('It did not come to that');
}

const filling = async () =>
  (await rows('costing', "select organization_id, state, done::int from operation where kind = 'fill-sample'"))[0];

/** Rows of an organization in all tables of all databases, by table. */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const subgraph of SUBGRAPH_NAMES) {
    const tables = await rows(
      subgraph,
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace`,
    );
    for (const { name } of tables) {
      const counted = `select count(*)::int as count from "${name}" where organization_id = $1`;
      const count = (await rows(subgraph, counted, [organizationId]))[0]!['count'] as number;
      if (count > 0) found[`${subgraph}.${name}`] = count;
    }
  }
  return found;
}

const ownCosts = async () => (await get(service.url, '/cost-data/by-model', firstRun.live_read_key)).body;

it('sample data is created with one click, survives a restart while it is filled, is shown everywhere, and is removed with one click', async () => {
  expect((await owner.get('/first-steps')).html).toContain('action="/sample/open"');
  const offer = await owner.get('/');
  expect(offer.html).toContain('action="/sample/open"');
  await post(service.url, '/usage-events/batch', firstRun.live_ingest_key, [usageEvent({ cost_override: '7.25' })]);
  await settle(service.url, firstRun.operator_token);
  const own = await ownCosts();
  expect(JSON.stringify(own)).toContain('7.25');

  const opened = await owner.answer(offer, '/sample/open');
  expect(opened).toMatchObject({ status: 303, location: '/sample' });
  const waiting = await owner.get('/sample');
  expect(waiting.headers.get('refresh')).toMatch(/url=\/sample$/);
  expect(waiting.html).toContain('of 90.');
  const cut = await waitFor(async () => {
    const found = await filling();
    return found !== undefined && found['done'] >= 3 ? found : null;
  });
  await restart();
  expect(cut).toMatchObject({ state: 'running' });
  const sampleId = cut['organization_id'] as string;
  const ready = await waitFor(async () => {
    const page = await owner.get('/sample');
    return page.status === 303 && page;
  });
  expect(ready.location).toBe('/?window=90d&done=sample-ready');
  expect(await filling()).toMatchObject({ state: 'finished', done: 90 });
  await settle(service.url, firstRun.operator_token);

  // Every finished day is present once, and the figures match the books.
  const [days] = await rows(
    'costing',
    `select count(distinct date(event_time at time zone 'UTC'))::int as days from usage_event join operation using (organization_id)
     where organization_id = $1 and kind = 'fill-sample'
       and date(event_time at time zone 'UTC') < date((operation.parameters ->> 'endsAt')::timestamptz at time zone 'UTC')`,
    [sampleId],
  );
  expect(days).toEqual({ days: 89 });
  const { data } = await askAs(
    owner,
    `{
    window(last: { days: 90 }) { margin { total { totalRevenue totalCost marginAmount } warnings { type } endUsers(filter: { only: PAYING }, first: 3) { nodes { endUserName profitability } totalCount } } }
    revenueConnection { state } alertRules { name }
  }`,
  );
  const { total, warnings, endUsers } = data.window.margin;
  expect(Number(total.totalCost)).toBeGreaterThan(100);
  expect(Number(total.totalRevenue) - Number(total.totalCost)).toBeCloseTo(Number(total.marginAmount), 9);
  expect(endUsers.totalCount).toBeGreaterThan(15);
  expect(endUsers.nodes[0]).toEqual({ endUserName: 'Umbra Security', profitability: 'UNPROFITABLE' });
  expect(warnings.map(({ type }: { type: string }) => type)).not.toContain('revenue_not_connected');
  const audit = await graphql(
    service.url,
    firstRun.operator_token,
    '{ costing: verifyCosting { differences } attribution: verifyAttribution { differences } revenue: verifyRevenue { differences } }',
    {},
    sampleId,
  );
  const checks = Object.values(audit.body.data as Record<string, { differences: string[] }[]>).flat();
  expect(checks.flatMap(({ differences }) => differences)).toEqual([]);

  for (const path of [
    '/',
    '/costs',
    '/margins',
    '/customers',
    '/events',
    '/what-if',
    '/alerts',
    '/settings/payments',
  ]) {
    const { status, html } = await owner.get(`${path}?window=90d`);
    expect({ path, status, has: html.includes(BANNER) }).toEqual({ path, status: 200, has: true });
    expect(html).not.toContain('href="/settings"');
  }
  expect((await owner.get('/settings/payments')).html).toContain('These payments are sample data');
  const event = /\/events\/[0-9a-f-]{36}/.exec((await owner.get('/events?window=90d')).html)?.[0] ?? '';
  expect(await owner.get(event)).toMatchObject({ status: 200 });
  const outcomes = (await owner.get('/outcomes?window=90d')).html;
  for (const task of ['ticket_resolved', 'report_written']) expect(outcomes).toContain(`>${task}</a>`);
  expect(outcomes).toContain('Newest outcomes');
  const narrowed = (await owner.get('/outcomes?window=90d&name=ticket_resolved&model=never-called')).html;
  expect(narrowed).toContain('Remove the filter Model: never-called');
  expect(narrowed).not.toContain('Newest outcomes');

  for (const [path, texts] of [
    ['/costs/fixed', ['Vector database', 'Seats of the support team']],
    ['/allowances', ['Customer Umbra Security <span class="muted">umbra-security, per month</span>', 'support-agent']],
    ['/rates/commitments', ['Anthropic, monthly commitment']],
    ['/rates/credits', ['Startup program', 'Prepaid tokens']],
  ] as const) {
    const { html } = await owner.get(`${path}?window=90d`);
    for (const text of texts) expect(html).toContain(text);
  }
  // The company has its account in euros: costs are converted too, although no rates are imported.
  const margins = await waitFor(async () => {
    const { data: asked } = await askAs(owner, '{ reportingCurrency { isConverting } }');
    return !asked.reportingCurrency.isConverting && (await owner.get('/margins/currency?window=90d')).html;
  });
  expect(margins).toContain('Margin in EUR');
  expect(margins).toMatch(/Exchange differences of refunds and disputes −?\d/);
  expect(margins).not.toContain('Waiting for an exchange rate');
  const { data: euros } = await askAs(
    owner,
    `{ window(last: { days: 90 }) { reportingMargin { isComplete fees { amount currency } totalCost { amount } costInUsd latestRate { rate } warnings { type } } } }`,
  );
  const {
    isComplete,
    fees,
    totalCost: costInEuros,
    costInUsd,
    latestRate,
    warnings: others,
  } = euros.window.reportingMargin;
  expect([isComplete, fees.currency]).toEqual([true, 'EUR']);
  expect(Number(fees.amount)).toBeGreaterThan(100);
  // The made-up rates are between 1.12 and 1.18 dollars for a euro.
  expect(Number(costInUsd) / Number(costInEuros.amount)).toBeGreaterThan(1.12);
  expect(Number(costInUsd) / Number(costInEuros.amount)).toBeLessThan(1.18);
  expect(1 / Number(latestRate.rate)).toBeGreaterThan(1.12);
  expect(others.map(({ type }: { type: string }) => type)).not.toContain('fees_unknown');

  // The current day has not ended, and yesterday is settled two hours after its end.
  const { data: fixed } = await waitFor(async () => {
    const asked = await askAs(
      owner,
      `{ fixedCosts { key allocatedUntil utilisation(last: { days: 90 }) { days bought used idle percent } } commitments { periods { spent } } providerCredits { used } }`,
    );
    const { fixedCosts, commitments, providerCredits } = asked.data;
    return (
      fixedCosts.every(({ utilisation }: { utilisation: { days: number } }) => utilisation.days >= 88) &&
      Number(commitments[0].periods[0]?.spent) > 0 &&
      providerCredits.every(({ used }: { used: string }) => Number(used) > 0) &&
      asked
    );
  });
  const database = fixed.fixedCosts.find(({ key }: { key: string }) => key === 'vector-database').utilisation;
  expect(Number(database.idle)).toBeGreaterThan(0);
  expect(Number(database.used)).toBeGreaterThan(0);

  // Sample data can be neither changed nor sent elsewhere, and only its operation can fill it.
  const refused = async (document: string, organization: string) =>
    (await graphql(service.url, firstRun.operator_token, document, {}, organization)).body.errors?.[0]
      ?.message as string;
  expect((await askAs(owner, 'mutation { testEventSend { userErrors { message } } }')).errors?.[0].message).toContain(
    'This is sample data',
  );
  const payload = '{ userErrors { message } }';
  const NOT_SENT = 'Nothing is sent from sample data';
  const NOT_CONNECTED = 'Sample data cannot be connected to an account';
  for (const [mutation, reason] of [
    ['alertChannelSave(input: { kind: WEBHOOK, name: "w", target: "https://example.com" })', NOT_SENT],
    [
      `exportScheduleSave(input: { name: "e", tables: ["charge_day"], format: CSV, period: DAY, bucket: "lake",
        accessKeyId: "storage-user", secretAccessKey: "storage-password", channelIds: [] })`,
      NOT_SENT,
    ],
    ['revenueConnect(input: { apiKey: "rk_live_x" })', NOT_CONNECTED],
    ['billConnectionSave(input: { source: "openai.costs", key: "sk-admin-x" })', NOT_CONNECTED],
    ['billImport(input: { text: "a,b" })', 'Bills cannot be imported into sample data'],
  ])
    expect(await refused(`mutation { ${mutation} ${payload} }`, sampleId)).toBe(reason);
  for (const organization of [sampleId, firstRun.organization_id])
    for (const fill of ['sampleRevenueFill { recordsCreated }', 'sampleOutcomesFill { outcomes }'])
      expect(await refused(`mutation { ${fill} }`, organization)).toContain('needs the scope');

  // Switching there and back leaves both organizations unchanged.
  expect(await owner.submit('/', '/sample/leave')).toMatchObject({ status: 303, location: '/' });
  const home = await owner.get('/');
  expect(home.html).not.toContain(BANNER);
  expect(home.html).toContain('$7.25');
  expect((await askAs(owner, 'mutation { sampleCostsFill { userErrors { message } } }')).errors?.[0].message).toContain(
    'needs',
  );
  // It can also be removed from here.
  expect((await owner.get('/first-steps')).html).toContain('action="/sample/remove"');
  const events = (await rowsOf(sampleId))['costing.usage_event'];
  await owner.post('/sample/open', { csrf_token: /name="csrf_token" value="([^"]+)"/.exec(home.html)![1]! });
  expect(await owner.get('/sample')).toMatchObject({ status: 303 });
  expect((await rowsOf(sampleId))['costing.usage_event']).toBe(events);

  expect(await owner.submit('/events', '/sample/remove')).toMatchObject({
    status: 303,
    location: '/first-steps?done=sample-removed',
  });
  const removed = (await owner.get('/first-steps?done=sample-removed')).html;
  expect(removed).toContain('The sample data was removed');
  expect(removed).not.toContain('action="/sample/remove"');
  // The deletion jobs run at start and every minute.
  await restart();
  await waitFor(async () => Object.keys(await rowsOf(sampleId)).every((table) => table === 'identity.organization'));
  expect(
    await rows('identity', 'select name, sample_of from organization where organization_id = $1', [sampleId]),
  ).toEqual([{ name: '', sample_of: null }]);
  expect(await ownCosts()).toEqual(own);
});
