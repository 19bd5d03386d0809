/**
 * The same figures of a month on pages, in CSV files, from REST and from GraphQL, before and after the month is closed.
 * They are added up by hand from the events and invoices below.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { addCustomer } from '../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../packages/stripe-stand-in/invoices.ts';
import { start as startProcessor, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { get, graphql, post, settle } from '../../support/api-client.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const today = new Date();
const end = monthStart(today.getUTCFullYear(), today.getUTCMonth());
const start = addMonths(end, -1);
const month = start.toISOString().slice(0, 7);
const RANGE = `start_date=${start.toISOString().slice(0, 10)}&end_date=${end.toISOString().slice(0, 10)}`;

let service: RunningService;
let processor: StripeStandIn;
let owner: Visitor;

const at = (day: number, months = 0) => new Date(addMonths(start, months).getTime() + day * 86_400_000).toISOString();
const send = async (...events: Readonly<Record<string, unknown>>[]) => {
  const sent = await post(
    service.url,
    '/usage-events/batch',
    service.firstRun.live_ingest_key,
    events.map((event) => usageEvent(event)),
  );
  expect(sent.body).toMatchObject({ accepted: events.length });
  await settle(service.url, service.firstRun.operator_token);
};

beforeAll(async () => {
  processor = await startProcessor();
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  const period = { start: start.getTime() / 1000, end: end.getTime() / 1000 };
  for (const [name, cents] of Object.entries({ ann: 900, stranger: 300 })) {
    const customer = addCustomer(processor.account, { name, metadata: { user_id: name } });
    addInvoice(processor.account, { customer, lines: [{ amount: cents, ...period }] });
  }
  const [one, two] = [
    { model: 'model-one', provider: 'openai' },
    { model: 'model-two', provider: 'anthropic' },
  ];
  await send(
    { ...one, user_id: 'ann', cost_override: '1.114', metadata: { agent_id: 'support' }, event_invoked_at: at(9) },
    { ...one, user_id: 'ann', cost_override: '2.223', metadata: { agent_id: 'research' }, event_invoked_at: at(10) },
    { ...two, user_id: 'bob', cost_override: '4.5', metadata: { agent_id: 'support' }, event_invoked_at: at(11) },
    { ...one, cost_override: '0.333', event_invoked_at: at(12) },
    { ...one, user_id: 'ann', cost_override: '2', event_invoked_at: at(9, -1) },
  );
  const { operator_token: token, organization_id: organization } = service.firstRun;
  const connect = `mutation { revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { userErrors { message } } }`;
  await graphql(service.url, token, connect, {}, organization);
  await vi.waitFor(async () => {
    const sync = 'mutation { revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } } }';
    const { body } = await graphql(service.url, token, sync, {}, organization);
    expect(body).toMatchObject({ data: { revenueSync: { run: { state: 'FINISHED' } } } });
  }, PATIENCE);
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

const page = async (path: string) => (await owner.get(path)).html;
const rest = async (path: string) => (await get(service.url, path, service.firstRun.live_read_key)).body;
const margins = `{ window(start: "${start.toISOString()}", end: "${end.toISOString()}") {
  costs(groupBy: [MODEL]) { nodes { values { value } totalCost } totalCost eventCount }
  margin {
    total { totalRevenue totalCost marginAmount marginPercent unattributedCost unattributedRevenue }
    endUsers { nodes { endUserName revenue cost marginAmount } totalRevenue totalCost marginAmount }
  }
} }`;

/** Where each figure is shown, and what it has to be. */
async function figures(): Promise<Record<string, unknown>> {
  const [overview, costs, byAgent, marginPage, customers, statement] = await Promise.all([
    page('/?window=last-month'),
    page('/costs?window=last-month&group=model&compare=previous'),
    page('/costs?window=last-month&group=agent'),
    page('/margins?window=last-month'),
    page('/customers?window=last-month'),
    page(`/books/closing/statement?month=${month}`),
  ]);
  const id = endUserId(service.firstRun.organization_id, 'ann');
  const ann = await page(`/customers/${id}?window=last-month`);
  const costsCsv = await page('/costs.csv?window=last-month&group=model');
  const customersCsv = await page('/customers.csv?window=last-month');
  const statementCsv = await page(`/books/closing/statement.csv?month=${month}`);
  const summary = await rest('/cost-data/summary?time_window=last-period');
  const byModel = await rest(`/cost-data/by-model?${RANGE}`);
  const agents = await rest(`/attribution-data/by-agent?${RANGE}`);
  const endUsers = await rest(`/margin-data/by-end-user?${RANGE}`);
  const { window } = (await graphql(service.url, service.firstRun.live_read_key, margins)).body.data;
  const has = (html: string, ...texts: string[]) => texts.every((text) => html.includes(text));
  const cost = (html: string, exact: string, shown: string) => has(html, `<data value="${exact}">${shown}</data>`);
  const total = window.margin.total;
  return {
    'overview: cost': has(overview, '>$8.17</a>'),
    'overview: change': has(overview, '▲ $6.17 more</span> (308.50%) than the previous month: $2.00. 4 events'),
    'overview: margin': has(overview, '>31.92%</a>', '$3.83 of $12.00 revenue'),
    'overview: model': cost(overview, '3.67', '$3.67'),
    'overview: losses': has(overview, '1 customer loses money: −$4.50'),
    'costs: total': cost(costs, '8.17', '$8.17'),
    'costs: model': cost(costs, '4.5', '$4.50'),
    'costs: previous': cost(costs, '2', '$2.00'),
    'costs: difference': has(costs, '+$6.17</span> <span class="muted">+308.50%'),
    'costs: agent': cost(byAgent, '5.614', '$5.61'),
    'margins: revenue, cost, margin': has(marginPage, 'Revenue $12.00 − cost $8.17 = margin $3.83 (31.92%)'),
    'margins: unassigned': has(marginPage, '>$0.33</a> cost', '>$3.00</a> billed'),
    'customers: revenue': cost(customers, '9', '$9.00'),
    'customers: cost': cost(customers, '7.837', '$7.84'),
    'customer: cost': has(ann, '$3.34'),
    'customer: margin': has(ann, '$5.66'),
    'statement: total': cost(statement, '8.17', '$8.17') && cost(statement, '3.83', '$3.83'),
    'statement: loss, and whose':
      cost(statement, '-4.5', '−$4.50') && /<p class="printed">[^<]+, prepared <time/.test(statement),
    // The first three columns, which come before the tokens.
    'costs.csv': costsCsv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',').slice(0, 3).join(','))
      .toSorted(),
    'customers.csv': customersCsv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').slice(0, 5).join(','))
      .toSorted(),
    'statement.csv: total': statementCsv.includes('\r\ntotal,,,12,8.17,3.83\r\n'),
    'statement.csv: hash': has(statement, createHash('sha256').update(statementCsv).digest('hex')),
    'REST: summary': [
      summary.current_period_cost,
      summary.previous_period_cost,
      summary.change_amount,
      summary.change_percent,
    ],
    'REST: by model': Object.fromEntries(byModel.models.map((one: any) => [one.model_slug, one.total_cost])),
    'REST: by agent': Object.fromEntries(agents.items.map((one: any) => [one.attribution_value, one.total_cost])),
    'REST: margin': [
      endUsers.org_total.total_revenue,
      endUsers.org_total.total_cost,
      endUsers.org_total.margin_amount,
      endUsers.org_total.margin_percent,
    ],
    'REST: unassigned': [endUsers.org_total.unattributed_cost, endUsers.org_total.unattributed_revenue],
    'REST: end users': Object.fromEntries(endUsers.end_users.map((one: any) => [one.end_user_name, one.margin_amount])),
    'GraphQL: costs': [window.costs.totalCost, window.costs.eventCount],
    'GraphQL: margin': [total.totalRevenue, total.totalCost, total.marginAmount, total.marginPercent],
    'GraphQL: end users': [
      window.margin.endUsers.totalRevenue,
      window.margin.endUsers.totalCost,
      window.margin.endUsers.marginAmount,
    ],
  };
}

const EXPECTED = {
  'costs.csv': ['model-one,3.67,3', 'model-two,4.5,1'],
  'customers.csv': ['ann,ann,9,3.337,5.663', 'bob,bob,0,4.5,-4.5'],
  'REST: summary': ['8.17', '2', '6.17', 308.5],
  'REST: by model': { 'model-one': '3.67', 'model-two': '4.5' },
  'REST: by agent': { support: '5.614', research: '2.223', Unassigned: '0.333' },
  'REST: margin': ['12', '8.17', '3.83', 31.92],
  'REST: unassigned': ['0.333', '3'],
  'REST: end users': { ann: '5.663', bob: '-4.5' },
  'GraphQL: costs': ['8.17', 4],
  'GraphQL: margin': ['12', '8.17', '3.83', 31.92],
  'GraphQL: end users': ['9', '7.837', '1.163'],
};

it('31 figures of a month agree, before and after it is closed and a late event arrives', async () => {
  const before = await figures();
  expect(Object.keys(before)).toHaveLength(31);
  const expected = Object.fromEntries(Object.keys(before).map((name) => [name, true]));
  expect(before).toEqual({ ...expected, ...EXPECTED });

  const closed = await owner.submit('/books/closing', '/books/closing/close', {
    month,
    ownPassword: service.firstRun.owner_password,
  });
  expect(closed.location).toBe('/books/closing?done=months-closed');
  await send({ model: 'model-one', provider: 'openai', user_id: 'bob', cost_override: '50', event_invoked_at: at(13) });
  const after = await figures();
  // The late event is counted in its month, and its cost is booked in the next one.
  expect(after).toEqual({
    ...expected,
    ...EXPECTED,
    'overview: change': false,
    'costs.csv': ['model-one,3.67,4', 'model-two,4.5,1'],
    'GraphQL: costs': ['8.17', 5],
  });
  expect(await page('/?window=last-month')).toContain('than the previous month: $2.00. 5 events');
  const now = await page('/costs?window=month&group=model');
  expect(now).toContain('Includes corrections of closed months: <data value="50">$50.00</data>, 1 entry');
  expect(await page('/?window=month')).toContain('Corrections of closed months');
});
