/** Charges by day: what a provider's bill lists, exact through corrections, closed months, restores and repairs. */
import { randomUUID } from 'node:crypto';
import { type FieldNode, Kind, parse } from 'graphql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import { plain } from '#kernel/money.ts';
import {
  listChargeDays,
  type ChargePageInput,
} from '../../subgraphs/attribution/charges/list-charge-days.operation.ts';
import { getSavings } from '../../subgraphs/attribution/charges/get-savings.operation.ts';
import type { CostFilter, CostKey } from '../../subgraphs/attribution/resolvers.generated.ts';
import { listCosts } from '../../subgraphs/attribution/selections/list-costs.operation.ts';
import { saveAgreement } from '../../subgraphs/costing/agreements/save-agreement.operation.ts';
import { removeAgreement } from '../../subgraphs/costing/agreements/remove-agreement.operation.ts';
import { closeCosts } from '../../subgraphs/costing/ledger/close-costs.operation.ts';
import { setRate } from '../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { aChain, type Chain } from '../support/chain.ts';

const CACHED_INPUT = fieldOf('{ costs { nodes { cachedInput { percent } } } }');

function fieldOf(document: string): FieldNode {
  const [definition] = parse(document).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Not an operation');
  const [field] = definition.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) throw new Error('Not a field');
  return field;
}

let chain: Chain;
let organizationId: string;
const NOW = new Date();
/** 10:00 on the first day of a month. */
const monthAt = (ago: number) => new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - ago, 1, 10)).toISOString();
const [BEFORE_LAST, LAST, THIS] = [monthAt(2), monthAt(1), monthAt(0)];
const start = '2020-01-01';
const end = '2100-01-01';

/** Claude Sonnet 4.5 by its price list: 3, 3.75, 6, 0.3 and 15 USD a million, web search 10 USD a thousand. */
const LIST = {
  model: 'claude-sonnet-4-5',
  provider: 'anthropic',
  input: '3',
  output: '15',
  cacheCreation: '3.75',
  cacheCreation1h: '6',
  cacheRead: '0.3',
  unitPrices: [{ name: 'web_searches', price: '0.01' }],
  effectiveFrom: '2020-01-01',
};

beforeEach(async () => {
  chain = await aChain();
  organizationId = randomUUID();
  await setRate(chain.context('costing', null), LIST);
});
afterEach(() => chain.close());

const usage = {
  input_tokens: 1_000,
  output_tokens: 200,
  cache_creation_input_tokens: 3_000,
  cache_read_input_tokens: 10_000,
  cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
  server_tool_use: { web_search_requests: 2 },
};
const event = (at: string, more: object = {}) => ({
  idempotency_key: randomUUID(),
  model: 'claude-sonnet-4-5',
  provider: 'anthropic',
  input_tokens: 1_000,
  output_tokens: 200,
  metadata: { usage },
  event_invoked_at: at,
  user_id: 'ada',
  ...more,
});

async function send(...events: object[]): Promise<void> {
  await chain.send(organizationId, events);
  await chain.settle();
}

async function read(input: Partial<ChargePageInput> = {}, window = { start, end }) {
  const context = chain.context('attribution', organizationId);
  return listChargeDays(context, parseWindow(window), { first: 1000, ...input });
}

/** `day class unit context: quantity, list, amount, corrections, events` */
async function lines(input: Partial<ChargePageInput> = {}, window = { start, end }): Promise<string[]> {
  const { nodes } = await read(input, window);
  return nodes.map(
    ({ day, chargeClass, unit, context, quantity, listAmount, amount, corrections, eventCount }) =>
      `${day} ${chargeClass} ${unit} ${context}: ${[quantity, plain(listAmount), plain(amount), plain(corrections), eventCount].join(', ')}`,
  );
}

/** `provider agreement: list contracted savings` */
async function savings(window = { start, end }): Promise<string[]> {
  const { lines: found, ...sums } = await getSavings(chain.context('attribution', organizationId), parseWindow(window));
  const words = ({ list, contracted, savings: saved }: typeof sums) => [list, contracted, saved].map(plain).join(' ');
  return [
    `total: ${words(sums)}`,
    ...found.map(({ provider, agreement, ...line }) => `${provider} ${agreement}: ${words(line)}`),
  ];
}

const day = (at: string) => at.slice(0, 10);
const total = async (window = { start, end }) => plain((await read({}, window)).totalAmount);

it('the list of charges by day has each class of a call once, with what the provider charges for it', async () => {
  await send(event(LAST), event(LAST));
  expect(await lines()).toEqual([
    `${day(LAST)} cache_creation token : 2000, 0.0075, 0.0075, 0, 2`,
    `${day(LAST)} cache_creation_1h token : 4000, 0.024, 0.024, 0, 2`,
    `${day(LAST)} cache_read token : 20000, 0.006, 0.006, 0, 2`,
    `${day(LAST)} input token : 2000, 0.006, 0.006, 0, 2`,
    `${day(LAST)} output token : 400, 0.006, 0.006, 0, 2`,
    `${day(LAST)} web_searches web_searches : 4, 0.04, 0.04, 0, 2`,
  ]);
  expect(await total()).toBe('0.0895');
  expect(await chain.differences()).toEqual([]);
});

it('the list of charges by day attributes cached input in the same way by every key, and counts only models that report it', async () => {
  const gpt = { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10', effectiveFrom: '2020-01-01' };
  await setRate(chain.context('costing', null), { ...gpt, cacheRead: '1.25' });
  await setRate(chain.context('costing', null), { ...gpt, model: 'whisper', cacheRead: null });
  const [ada, grace] = ['ada', 'grace'].map((name) => ({ user_id: name, session_id: `session of ${name}` }));
  const metadata = (agent: string, rest: object = {}) => ({ metadata: { agent_id: agent, ...rest } });
  await send(
    // 1,000 uncached, 3,000 written and 10,000 read.
    event(LAST, { ...ada, ...metadata('writer', { usage }) }),
    // 3,000 uncached and 1,000 read: OpenAI's input contains the cached tokens.
    event(LAST, {
      ...grace,
      ...metadata('writer'),
      model: 'gpt-4o',
      provider: 'openai',
      input_tokens: 4_000,
      cache_read_input_tokens: 1_000,
    }),
    event(LAST, { ...grace, ...metadata('listener'), model: 'whisper', provider: 'openai' }),
  );
  const by = async (keys: CostKey[], filter: CostFilter = {}) => {
    const { nodes, cachedInput } = await listCosts(
      chain.context('attribution', organizationId),
      parseWindow({ start, end }),
      { keys, filter, first: 10, after: null },
      { fieldNodes: [CACHED_INPUT], fragments: {}, variableValues: {} },
    );
    const shown = (of: typeof cachedInput) => (of === null ? 'not reported' : `${of.cached} of ${of.input}`);
    return Object.fromEntries([
      ...nodes.map((node) => [node.values.map(({ value }) => value).join(), shown(node.cachedInput)]),
      ['total', shown(cachedInput)],
    ]);
  };
  const total = '11000 of 18000';
  const [adas, graces] = ['10000 of 14000', '1000 of 4000'];
  expect(await by(['MODEL'])).toEqual({ 'claude-sonnet-4-5': adas, 'gpt-4o': graces, whisper: 'not reported', total });
  expect(await by(['PROVIDER'])).toEqual({ anthropic: adas, openai: graces, total });
  expect(await by(['AGENT'])).toEqual({ writer: total, listener: 'not reported', total });
  expect(await by(['END_USER'])).toEqual({ ada: adas, grace: graces, total });
  expect(await by(['SESSION'])).toEqual({ 'session of ada': adas, 'session of grace': graces, total });
  expect(await by(['AGENT', 'PROVIDER'])).toEqual({
    'writer,anthropic': adas,
    'writer,openai': graces,
    'listener,openai': 'not reported',
    total,
  });
  expect(await by([])).toEqual({ '': total, total });
  expect(await by(['MODEL'], { provider: 'openai' })).toEqual({
    'gpt-4o': graces,
    whisper: 'not reported',
    total: graces,
  });
  expect(await by(['MODEL'], { agent: 'listener' })).toEqual({ whisper: 'not reported', total: 'not reported' });
});

it('the list of charges by day keeps contexts and stated costs apart, and counts the tokens of a stated cost', async () => {
  await setRate(chain.context('costing', null), {
    ...LIST,
    contexts: [{ context: 'tier=batch', class: 'all', factor: '0.5' }],
  });
  const batch = { metadata: { usage: { input_tokens: 1_000, output_tokens: 200, service_tier: 'batch' } } };
  await send(event(LAST, batch), event(LAST, { cost_override: '7', metadata: {} }));
  expect(await lines()).toEqual([
    `${day(LAST)} input token : 1000, 0, 0, 0, 1`,
    `${day(LAST)} output token : 200, 0, 0, 0, 1`,
    `${day(LAST)} override override : 0, 7, 7, 0, 1`,
    `${day(LAST)} input token tier=batch: 1000, 0.0015, 0.0015, 0, 1`,
    `${day(LAST)} output token tier=batch: 200, 0.0015, 0.0015, 0, 1`,
  ]);
  expect(await chain.differences()).toEqual([]);
});

it('the list of charges by day has the list amount next to a negotiated rate, including for what the contract makes free', async () => {
  const { unitPrices: _, ...negotiated } = LIST;
  await setRate(chain.context('costing', organizationId), { ...negotiated, input: '1.5' });
  await send(event(LAST));
  const found = await lines();
  expect(found).toContain(`${day(LAST)} input token : 1000, 0.003, 0.0015, 0, 1`);
  expect(found).toContain(`${day(LAST)} web_searches web_searches : 2, 0.02, 0, 0, 1`);
  const { totalAmount, totalListAmount } = await read();
  expect([plain(totalAmount), plain(totalListAmount)]).toEqual(['0.02325', '0.04475']);
  expect(await savings()).toEqual(['total: 0.04475 0.02325 0.0215', 'anthropic null: 0.04475 0.02325 0.0215']);
});

it('the list of charges by day has the list amount next to a discounted one, entered in time or late', async () => {
  const context = chain.context('costing', organizationId);
  await send(event(LAST));
  await saveAgreement(context, {
    provider: 'anthropic',
    name: 'Enterprise',
    from: '2020-01-01',
    discounts: [{ percent: '20' }],
  });
  await send(event(THIS));
  await reprice(context, { start: BEFORE_LAST, end: NOW.toISOString(), dryRun: false });
  await chain.settle();
  const found = await lines();
  expect(found).toContain(`${day(LAST)} input token : 1000, 0.003, 0.0024, -0.0006, 1`);
  expect(found).toContain(`${day(LAST)} web_searches web_searches : 2, 0.02, 0.016, -0.004, 1`);
  expect(found).toContain(`${day(THIS)} input token : 1000, 0.003, 0.0024, 0, 1`);
  const { totalAmount, totalListAmount } = await read();
  expect([plain(totalAmount), plain(totalListAmount)]).toEqual(['0.0716', '0.0895']);
  expect(await savings()).toEqual(['total: 0.0895 0.0716 0.0179', 'anthropic Enterprise: 0.0895 0.0716 0.0179']);
  expect(await chain.differences()).toEqual([]);
});

it('savings by agreement are shown even after the agreement was removed, in windows that cut days', async () => {
  const context = chain.context('costing', organizationId);
  await send(event(LAST));
  const { id } = await saveAgreement(context, {
    provider: 'anthropic',
    name: 'Cache',
    from: '2020-01-01',
    discounts: [{ percent: '50', classes: ['cache_read'] }],
  });
  await send(event(new Date(Date.parse(LAST) + 3_600_000).toISOString()));
  await removeAgreement(context, id);
  expect(await savings()).toEqual([
    'total: 0.0895 0.088 0.0015',
    'anthropic Cache: 0.003 0.0015 0.0015',
    'anthropic null: 0.0865 0.0865 0',
  ]);
  const middle = new Date(Date.parse(LAST) + 1_800_000).toISOString();
  expect(await savings({ start, end: middle })).toEqual([
    'total: 0.04475 0.04475 0',
    'anthropic null: 0.04475 0.04475 0',
  ]);
  expect(await lines({ filter: { chargeClass: 'cache_read' } })).toEqual([
    `${day(LAST)} cache_read token : 20000, 0.006, 0.0045, 0, 2`,
  ]);
  expect(await chain.differences()).toEqual([]);
});

it('the list of charges by day puts corrections on the class and context they concern, and reverts them', async () => {
  await send(event(LAST));
  await setRate(chain.context('costing', null), { ...LIST, cacheCreation1h: '8', effectiveFrom: '2020-01-02' });
  const context = chain.context('costing', organizationId);
  const { repricingId } = await reprice(context, { start: BEFORE_LAST, end: NOW.toISOString(), dryRun: false });
  await chain.settle();
  expect(await lines({ filter: { chargeClass: 'cache_creation_1h' } })).toEqual([
    `${day(LAST)} cache_creation_1h token : 2000, 0.016, 0.016, 0.004, 1`,
  ]);
  expect(await total()).toBe('0.04875');
  await revertRepricing(context, repricingId!);
  await chain.settle();
  expect(await total()).toBe('0.04475');
  expect(await lines({ filter: { chargeClass: 'cache_creation_1h' } })).toEqual([
    `${day(LAST)} cache_creation_1h token : 2000, 0.012, 0.012, 0, 1`,
  ]);
  expect(await chain.differences()).toEqual([]);
});

it('charges by day count quantities in a closed month, and their cost is booked in the open one', async () => {
  await closeCosts(chain.context('costing', organizationId), day(BEFORE_LAST).slice(0, 7));
  await send(event(BEFORE_LAST, { metadata: {} }));
  expect(await lines()).toEqual([
    `${day(BEFORE_LAST)} input token : 1000, 0, 0, 0, 1`,
    `${day(BEFORE_LAST)} output token : 200, 0, 0, 0, 1`,
    `${day(LAST)} input token : 0, 0.003, 0.003, 0.003, 0`,
    `${day(LAST)} output token : 0, 0.003, 0.003, 0.003, 0`,
  ]);
  expect((await chain.differences()).filter((difference) => !difference.startsWith('facts: '))).toEqual([]);
});

it('the list of charges by day adds up in windows that cut days, by end user and by agent, page by page', async () => {
  await send(
    event(LAST, { agent_id: 'support' }),
    event(new Date(Date.parse(LAST) + 3_600_000).toISOString(), { user_id: 'bob' }),
    event(THIS < NOW.toISOString() ? THIS : LAST, { user_id: undefined }),
  );
  const middle = new Date(Date.parse(LAST) + 1_800_000).toISOString();
  expect([await total({ start, end: middle }), await total({ start: middle, end })]).toEqual(['0.04475', '0.0895']);
  const byUser = await read({ by: 'END_USER' });
  expect(plain(byUser.totalAmount)).toBe('0.13425');
  expect(new Set(byUser.nodes.map(({ endUser }) => endUser?.externalId ?? null))).toEqual(
    new Set(['ada', 'bob', null]),
  );
  expect(
    (await read({ by: 'AGENT', filter: { agent: 'support' } })).nodes.every(
      ({ agent }) => agent?.agentId === 'support',
    ),
  ).toBe(true);
  expect(plain((await read({ filter: { endUser: 'ada' } })).totalAmount)).toBe('0.04475');
  const pages: unknown[] = [];
  for (let after: string | null = null, more = true; more;) {
    const page: Awaited<ReturnType<typeof read>> = await read({ by: 'END_USER', first: 2, after });
    pages.push(...page.nodes);
    more = page.pageInfo.hasNextPage;
    after = page.pageInfo.endCursor;
  }
  expect(pages).toEqual(byUser.nodes);
  await expect(read({ after: 'x' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

it('charges by day are verified, and repaired from the ledger, even if facts have no charges yet', async () => {
  await send(event(LAST), event(LAST));
  await chain.rows('attribution', 'update charge_day set amount = amount + 1 returning 1');
  expect((await chain.differences()).join()).toContain('charges of every day = facts');
  await chain.rows('attribution', 'update cost_fact set charges = null returning 1');
  await chain.rows('attribution', 'delete from charge_day returning 1');
  await chain.rows(
    'attribution',
    `update feed_place set replay = '{"cursor": {"phase": "entries", "eventId": "00000000-0000-0000-0000-000000000000", "sequence": -1}, "removed": 0, "sumsAll": false}' returning 1`,
  );
  await chain.settle();
  expect(await total()).toBe('0.0895');
  expect(await chain.differences()).toEqual([]);
});
