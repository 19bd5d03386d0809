/** Twelve questions of a founder, each as one GraphQL document; related figures add up to the last digit. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { amount, plain } from '#kernel/money.ts';
import { addCustomer } from '../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../packages/stripe-stand-in/invoices.ts';
import { start as startProcessor, type StripeStandIn } from '../../packages/stripe-stand-in/server.ts';
import { graphql, post, settle } from '../support/api-client.ts';
import { FOUNDER_DOCUMENTS } from '../support/founder-documents.ts';
import type { RunningService } from '../support/running-service.ts';
import { sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const ago = (days: number) => new Date(NOW - days * DAY_MS - 60_000).toISOString();
/** Thirty days until now. */
const LAST = { start: ago(30), end: new Date(NOW).toISOString() };

let service: RunningService;
let processor: StripeStandIn;

/** Rates of gpt-4o: 2.5 and 10 USD per million; of gpt-4o-mini: 0.15 and 0.6. */
const call = (user: string | null, days: number, model: string, agent: string, tokens: number, session: string) =>
  usageEvent({
    ...(user === null ? {} : { user_id: user }),
    model,
    input_tokens: tokens,
    output_tokens: 0,
    session_id: session,
    metadata: { agent_id: agent, feature: agent === 'support' ? 'chat' : 'reports' },
    event_invoked_at: ago(days),
  });

beforeAll(async () => {
  processor = await startProcessor();
  service = await sharedService();
  const [from, to] = [ago(90), ago(-20)].map((iso) => Math.floor(Date.parse(iso) / 1000));
  for (const [name, cents] of Object.entries({ acme: 22_000, globex: 22_000 })) {
    const customer = addCustomer(processor.account, { name, metadata: { user_id: name } });
    addInvoice(processor.account, { customer, lines: [{ amount: cents, start: from!, end: to! }] });
  }
  const stranger = addCustomer(processor.account, { name: 'Initech' });
  addInvoice(processor.account, { customer: stranger, lines: [{ amount: 11_000, start: from!, end: to! }] });
  const days = Array.from({ length: 58 }, (_, day) => day);
  const events = [
    ...days.flatMap((day) => [
      call('acme', day, 'gpt-4o', 'support', 100_000, 's-acme'),
      call('globex', day, 'gpt-4o-mini', 'support', 100_000, 's-globex'),
    ]),
    // For twelve days, an agent has created reports for acme.
    ...days.slice(0, 12).map((day) => call('acme', day, 'gpt-4o', 'reporter', 4_000_000, 's-reports')),
    call('free', 3, 'gpt-4o-mini', 'support', 1_000_000, 's-free'),
    call(null, 3, 'gpt-4o-mini', 'support', 1_000_000, 's-free'),
    call('globex', 2, 'our-own-model', 'support', 2_000_000, 's-own'),
    call('globex', 1, 'our-own-model', 'support', 1_000_000, 's-own'),
  ];
  for (let at = 0; at < events.length; at += 100) {
    const sent = await post(
      service.url,
      '/usage-events/batch',
      service.firstRun.live_ingest_key,
      events.slice(at, at + 100),
    );
    expect(sent.body).toMatchObject({ failed: 0 });
  }
  await settle(service.url, service.firstRun.operator_token);
  const connect = `mutation {
    revenueConnect(input: { apiKey: "rk_live_stand_in", apiBase: "${processor.url}" }) { connection { state } userErrors { message } }
    revenueSync(input: { waitSeconds: 20 }) { run { state } userErrors { message } }
  }`;
  expect(await operate(connect)).toMatchObject({ revenueSync: { run: { state: 'FINISHED' }, userErrors: [] } });
});
afterAll(async () => {
  await service.stop();
  await processor.stop();
});

async function answerTo(token: string, document: string, variables: object, organization?: string): Promise<any> {
  const { body } = await graphql(service.url, token, document, variables, organization);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const ask = (document: string, variables: object = {}) => answerTo(service.firstRun.live_read_key, document, variables);
const operate = (document: string, variables: object = {}) =>
  answerTo(service.firstRun.operator_token, document, variables, service.firstRun.organization_id);

function sum(amounts: readonly string[]): string {
  return plain(amounts.reduce((total, text) => total + amount(text), 0n));
}

test('a founder learns which customers lose money', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.LosingCustomers, LAST);
  const { nodes, ...total } = window.margin.endUsers;
  expect(nodes.map((node: any) => [node.endUserName, node.profitability])).toEqual([
    ['acme', 'UNPROFITABLE'],
    ['globex', 'PROFITABLE'],
  ]);
  expect(total).toEqual({
    totalRevenue: sum(nodes.map(({ revenue }: any) => revenue)),
    totalCost: sum(nodes.map(({ cost }: any) => cost)),
    marginAmount: sum(nodes.map(({ marginAmount }: any) => marginAmount)),
  });
});

test('a founder learns when a customer began to lose money', async () => {
  const { endUser } = await ask(FOUNDER_DOCUMENTS.LosingSince, { externalId: 'acme' });
  const losing = endUser.overTime.margins.filter(({ marginAmount }: any) => marginAmount.startsWith('-'));
  const first = Date.parse(losing[0].start);
  expect(losing.length).toBeGreaterThanOrEqual(12);
  expect(Math.round((NOW - first) / DAY_MS)).toBeGreaterThanOrEqual(11);
  expect(Math.round((NOW - first) / DAY_MS)).toBeLessThanOrEqual(13);
});

test('a founder learns which agent, feature and model causes a loss', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.LosingBecauseOf, { ...LAST, endUser: 'acme' });
  const costliest = (name: string) => window[name].nodes[0].values[0].value;
  expect(['agents', 'features', 'models'].map(costliest)).toEqual(['reporter', 'reports', 'gpt-4o']);
  for (const { nodes, totalCost } of Object.values<any>(window))
    expect(totalCost).toBe(sum(nodes.map((node: any) => node.totalCost)));
  expect(window.agents.totalCost).toBe(window.models.totalCost);
});

test('a founder learns what changed from the period before, and what it comes from', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.Changed, LAST);
  const { total, parts, groups } = window.costChange;
  expect(total.cost).toBe(window.costs.totalCost);
  expect(total.difference).toBe(sum(Object.values<string>(parts)));
  expect(total.difference).toBe(sum(groups.map(({ change }: any) => change.difference)));
  expect(sum([total.previousCost, total.difference])).toBe(total.cost);
});

test('a founder learns what this month will cost', async () => {
  const { costForecast, window } = await ask(FOUNDER_DOCUMENTS.Month);
  expect(costForecast.booked).toBe(window.costs.totalCost);
  expect(costForecast.reason).toBeNull();
  const [booked, low, expected, high] = [costForecast.booked, ...Object.values<string>(costForecast.range)].map(amount);
  expect(booked! <= low! && low! <= expected! && expected! <= high!).toBe(true);
});

test('a founder learns what a cheaper model would save, by customer', async () => {
  const changes = [{ replace: { model: 'gpt-4o', byModel: 'gpt-4o-mini' } }];
  const { window } = await ask(FOUNDER_DOCUMENTS.CheaperModel, { ...LAST, changes });
  const { total, unassigned, endUsers, notCovered } = window.simulateCosts;
  expect(notCovered).toEqual([]);
  expect(total.before).toBe(window.costs.totalCost);
  expect(sum([unassigned.before, ...endUsers.nodes.map(({ before }: any) => before)])).toBe(total.before);
  expect(sum([unassigned.after.expected, ...endUsers.nodes.map(({ after }: any) => after.expected)])).toBe(
    total.after.expected,
  );
  const acme = endUsers.nodes.find(({ endUser }: any) => endUser.externalId === 'acme');
  // Both count tokens alike, and 2.5 becomes 0.15.
  expect(amount(acme.after.expected) * 250n).toBe(amount(acme.before) * 15n);
});

test('a founder learns which plan price breaks even', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.BreakEven, { ...LAST, plan: { flat: '60' } });
  const { breakEven, total, customers } = window.simulatePlan;
  expect(amount(breakEven.everyone)).toBe(
    customers.nodes
      .map(({ breakEvenFlat }: any) => amount(breakEvenFlat))
      .reduce((a: bigint, b: bigint) => (a > b ? a : b)),
  );
  expect(total.cost).toBe(sum(customers.nodes.map(({ figures }: any) => figures.cost)));
  expect(amount(total.marginAfter)).toBe(amount(total.revenueAfter) - amount(total.cost));
});

test('a founder learns which events are unpriced, and what they will cost', async () => {
  const rate = { model: 'our-own-model', input: '2', output: '3' };
  const { window, rateProposal } = await operate(FOUNDER_DOCUMENTS.Unpriced, { ...LAST, rate });
  expect(window.events.nodes).toMatchObject([
    { modelSent: 'our-own-model', endUser: { externalId: 'globex' }, inputTokens: 1_000_000 },
    { modelSent: 'our-own-model', inputTokens: 2_000_000 },
  ]);
  expect(rateProposal).toEqual({ events: 2, settledEvents: 2, totalCost: '6', isComplete: true });
});

test('a founder learns who sent the costliest event, and why it cost that', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.CostliestEvent, LAST);
  const [event] = window.events.nodes;
  expect(event).toMatchObject({ totalCost: '10', endUser: { externalId: 'acme' }, agentId: 'reporter' });
  expect(event.session).toEqual({ sessionId: 's-reports', totalCost: '120' });
  const [entry, ...more] = event.explanation.entries;
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ totalCost: '10', modelSlug: 'gpt-4o', rateCard: { id: expect.any(String) } });
  expect(entry.lines).toContainEqual({ class: 'input', quantity: '4000000', rate: '2.5', cost: '10' });
  expect(sum(entry.lines.map(({ cost }: any) => cost))).toBe(event.totalCost);
});

test('a founder learns which key or session spent most', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.KeysAndSessions, LAST);
  const { costs, costsByApiKey } = window;
  expect(costs.nodes[0]).toEqual({ values: [{ key: 'session', value: 's-reports' }], totalCost: '120' });
  expect(costsByApiKey.nodes).toEqual([{ apiKey: { id: expect.any(String) }, totalCost: costs.totalCost }]);
  expect(sum(costs.nodes.map(({ totalCost }: any) => totalCost))).toBe(costs.totalCost);
});

test('a founder learns which customers were never matched to revenue', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.Unmatched, LAST);
  const { unmatchedCustomers, endUsers, total, all } = window.margin;
  expect(unmatchedCustomers.nodes).toMatchObject([{ name: 'Initech' }]);
  expect(endUsers.nodes.map(({ endUserName }: any) => endUserName)).toEqual(['free']);
  expect(sum([all.totalRevenue, unmatchedCustomers.totalRevenue])).toBe(total.totalRevenue);
  expect(sum([all.totalCost, total.unattributedCost])).toBe(total.totalCost);
});

test('finance report: the ledger of a period, by model and by end user', async () => {
  const { window } = await ask(FOUNDER_DOCUMENTS.Ledger, LAST);
  const { ledgerCost, ledgerCosts, ledgerCostsByEndUser, costs } = window;
  const totals = [
    costs.totalCost,
    ledgerCosts.totalCost,
    ledgerCostsByEndUser.totalCost,
    sum(ledgerCosts.models.map(({ totalCost }: any) => totalCost)),
    sum([
      ledgerCostsByEndUser.unassigned.totalCost,
      ...ledgerCostsByEndUser.items.map(({ totalCost }: any) => totalCost),
    ]),
  ];
  expect(totals).toEqual(totals.map(() => ledgerCost));
});
