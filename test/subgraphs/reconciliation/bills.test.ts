/** Bills imported into the whole service and compared with the books of its events. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alerting, startAlerting } from '../alerting/alerting-builder.ts';

let world: Alerting;
beforeAll(async () => {
  world = await startAlerting();
});
afterAll(() => world.close());

const IMPORT = `mutation ($text: String!, $connectionId: ID) {
  billImport(input: { text: $text, connectionId: $connectionId }) {
    bill { connectionId source fromDay toDay isNew lines unreadLines } userErrors { field message code } } }`;
const DAYS = `query ($start: Instant!, $end: Instant!) { billDays(start: $start, end: $end) {
  connectionId source day state coverage billed own difference unexplained isUnexplained quantityVerdict amountVerdict
  differences { model billed own difference unexplained causes { cause amount detail scopes } fix { note } } } }`;

const START = Date.UTC(2026, 9, 5) / 1_000;
const costsOf = (rows: readonly (readonly [lineItem: string, value: string, project: string])[]) =>
  JSON.stringify({
    object: 'page',
    data: [
      {
        object: 'bucket',
        start_time: START,
        end_time: START + 86_400,
        results: rows.map(([lineItem, value, project]) => ({
          object: 'organization.costs.result',
          amount: { value: Number(value), currency: 'usd' },
          line_item: lineItem,
          project_id: project,
        })),
      },
    ],
  });
const window = { start: '2026-10-05T00:00:00Z', end: '2026-10-06T00:00:00Z' };
const days = async (organizationId: string) => (await world.ask(organizationId, DAYS, window)).billDays;

/** gpt-4o-mini costs 0.15 and 0.60 a million. */
async function organizationWithEvents(): Promise<string> {
  const organizationId = randomUUID();
  const event = { provider: 'openai', model: 'gpt-4o-mini', event_invoked_at: '2026-10-05T10:00:00Z' };
  await world.send(organizationId, [
    { ...event, input_tokens: 1_000_000, output_tokens: 100_000 },
    { ...event, input_tokens: 500_000, output_tokens: 50_000 },
  ]);
  await world.settle();
  return organizationId;
}

it('reconciliation agrees with a bill of the same usage, and imports the same bytes once', async () => {
  const organizationId = await organizationWithEvents();
  const text = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '0.225', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
  ]);
  const { billImport } = await world.ask(organizationId, IMPORT, { text });
  expect(billImport).toEqual({
    bill: {
      connectionId: expect.any(String),
      source: 'openai.costs',
      fromDay: '2026-10-05',
      toDay: '2026-10-05',
      isNew: true,
      lines: 2,
      unreadLines: 0,
    },
    userErrors: [],
  });
  expect((await world.ask(organizationId, IMPORT, { text })).billImport.bill.isNew).toBe(false);
  expect(await days(organizationId)).toEqual([
    expect.objectContaining({
      day: '2026-10-05',
      state: 'SETTLED',
      coverage: '100',
      billed: '0.315',
      own: '0.315',
      difference: '0',
      unexplained: '0',
      isUnexplained: false,
      quantityVerdict: 'UNKNOWN',
      amountVerdict: 'AGREES',
    }),
  ]);
});

it('reconciliation names a project that does not report, and closes the difference when it is marked as not tracked', async () => {
  const organizationId = await organizationWithEvents();
  const text = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '0.225', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, input', '0.3', 'proj_b'],
  ]);
  const { connectionId } = (await world.ask(organizationId, IMPORT, { text })).billImport.bill;
  const [day] = await days(organizationId);
  expect(day.differences[0].causes).toEqual([
    {
      cause: 'SILENT_SCOPE',
      amount: '0.3',
      detail: 'project:proj_b spends and does not report: 0.3',
      scopes: ['project:proj_b'],
    },
  ]);
  const scopes =
    'query ($start: Instant!, $end: Instant!) { billScopes(start: $start, end: $end) { scope billed isTracked silentDays } }';
  expect((await world.ask(organizationId, scopes, window)).billScopes).toEqual([
    { scope: 'project:proj_a', billed: '0.315', isTracked: true, silentDays: 0 },
    { scope: 'project:proj_b', billed: '0.3', isTracked: true, silentDays: 1 },
  ]);
  const fix = { connectionId, day: '2026-10-05', model: 'gpt-4o-mini', kind: 'UNTRACK', scope: 'project:proj_b' };
  const apply = `mutation ($input: BillFixApplyInput!) { billFixApply(input: $input) {
    application { fix { id } difference explained remaining } userErrors { message } } }`;
  const effect = { difference: '0.3', explained: '0.3', remaining: '0' };
  expect((await world.ask(organizationId, apply, { input: { ...fix, dryRun: true } })).billFixApply).toEqual({
    application: { fix: null, ...effect },
    userErrors: [],
  });
  const applied = (await world.ask(organizationId, apply, { input: fix })).billFixApply.application;
  expect(applied).toEqual({ fix: { id: expect.any(String) }, ...effect });
  const [untracked] = await days(organizationId);
  expect(
    untracked.differences
      .flatMap((difference: any) => difference.causes)
      .map(({ cause, amount }: any) => [cause, amount]),
  ).toEqual([['NOT_TRACKED', '0.3']]);
  const revert =
    'mutation ($id: ID!) { billFixRevert(input: { id: $id }) { fix { revertedAt } userErrors { message } } }';
  expect((await world.ask(organizationId, revert, { id: applied.fix.id })).billFixRevert.userErrors).toEqual([]);
  expect(await days(organizationId)).toEqual([day]);
  const {
    reconciliationAuditLog: { nodes: reconciliationAuditLog },
  } = await world.ask(organizationId, '{ reconciliationAuditLog { nodes { action } } }');
  expect(reconciliationAuditLog.map(({ action }: any) => action)).toEqual([
    'bill_fix.reverted',
    'bill_fix.applied',
    'bill.imported',
  ]);
});

it('reconciliation replaces a day by a later bill, and accepts what is not explained with a note', async () => {
  const organizationId = await organizationWithEvents();
  await world.ask(organizationId, IMPORT, { text: costsOf([['gpt-4o-mini-2024-07-18, input', '9', 'proj_a']]) });
  const text = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '0.5', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
  ]);
  const { connectionId } = (await world.ask(organizationId, IMPORT, { text })).billImport.bill;
  const [day] = await days(organizationId);
  expect([day.billed, day.unexplained, day.isUnexplained, day.state]).toEqual(['0.59', '0.275', true, 'SETTLED']);
  const input = { connectionId, day: '2026-10-05', model: 'gpt-4o-mini', kind: 'ACCEPT' };
  const apply =
    'mutation ($input: BillFixApplyInput!) { billFixApply(input: $input) { application { remaining } userErrors { message } } }';
  expect((await world.ask(organizationId, apply, { input })).billFixApply.userErrors).toEqual([
    { message: 'note is required to accept a difference' },
  ]);
  await world.ask(organizationId, apply, { input: { ...input, note: 'Agreed with the provider' } });
  const [closed] = await days(organizationId);
  expect([closed.state, closed.isUnexplained, closed.differences[0].fix.note]).toEqual([
    'CLOSED',
    false,
    'Agreed with the provider',
  ]);
  // Another amount was not accepted.
  await world.ask(organizationId, IMPORT, { text: text.replace('0.5', '0.6') });
  const [changed] = await days(organizationId);
  expect([changed.unexplained, changed.isUnexplained, changed.differences[0].fix]).toEqual(['0.375', true, null]);
});

it('reconciliation does not show bills to another organization, and says why a file is refused', async () => {
  const organizationId = await organizationWithEvents();
  await world.ask(organizationId, IMPORT, { text: costsOf([['gpt-4o-mini, input', '9', 'proj_a']]) });
  expect(await days(randomUUID())).toEqual([]);
  expect((await world.ask(organizationId, IMPORT, { text: 'hello, world' })).billImport).toEqual({
    bill: null,
    userErrors: [{ field: null, message: 'file: The file contains no rows', code: 'VALIDATION_ERROR' }],
  });
});

it('reconciliation deletes an upload that is not a bill', async () => {
  const organizationId = randomUUID();
  const uploadId = randomUUID();
  const data = Buffer.from('hello, world').toString('base64');
  const savePart = 'mutation ($input: BillPartSaveInput!) { billPartSave(input: $input) { userErrors { message } } }';
  await world.ask(organizationId, savePart, { input: { uploadId, part: 0, data } });
  const take = 'mutation ($id: ID!) { billImport(input: { uploadId: $id }) { userErrors { message } } }';
  const refusals = async () => (await world.ask(organizationId, take, { id: uploadId })).billImport.userErrors;
  expect(await refusals()).toEqual([{ message: 'file: The file contains no rows' }]);
  expect(await refusals()).toEqual([{ message: 'uploadId: upload not found, or a part of it is missing' }]);
});

const APPLY = `mutation ($input: BillFixApplyInput!) { billFixApply(input: $input) {
  application { fix { id kind } difference explained remaining } userErrors { message } } }`;

it('reconciliation sets the rate that the bill shows, reprices from that day on, and undoes both', async () => {
  const organizationId = await organizationWithEvents();
  const usage = JSON.stringify({
    object: 'page',
    data: [
      {
        object: 'bucket',
        start_time: START,
        end_time: START + 86_400,
        results: [
          {
            object: 'organization.usage.completions.result',
            model: 'gpt-4o-mini-2024-07-18',
            input_tokens: 1_500_000,
            input_cached_tokens: 0,
            output_tokens: 150_000,
          },
        ],
      },
    ],
  });
  const costs = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '0.3', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
  ]);
  await world.ask(organizationId, IMPORT, { text: usage });
  const { connectionId } = (await world.ask(organizationId, IMPORT, { text: costs })).billImport.bill;
  const [day] = await days(organizationId);
  expect([day.quantityVerdict, day.differences[0].causes]).toEqual([
    'AGREES',
    [{ cause: 'NEW_PRICE', amount: '0.075', detail: 'input: 0.2 a million instead of 0.15', scopes: [] }],
  ]);
  const input = { connectionId, day: '2026-10-05', model: 'gpt-4o-mini', kind: 'RATE' };
  const { application, userErrors } = (await world.ask(organizationId, APPLY, { input })).billFixApply;
  expect(userErrors).toEqual([]);
  expect(application).toEqual({
    fix: { id: expect.any(String), kind: 'RATE' },
    difference: '0.075',
    explained: '0.075',
    remaining: '0',
  });
  await world.settle();
  const [repriced] = await days(organizationId);
  expect([repriced.own, repriced.difference, repriced.amountVerdict]).toEqual(['0.39', '0', 'AGREES']);
  const revert =
    'mutation ($id: ID!) { billFixRevert(input: { id: $id }) { fix { revertedAt } userErrors { message } } }';
  expect((await world.ask(organizationId, revert, { id: application.fix.id })).billFixRevert.userErrors).toEqual([]);
  await world.settle();
  expect((await days(organizationId))[0].own).toBe('0.315');
});

it('reconciliation alerts on an unexplained difference until it is accepted, and on a bill that is too old', async () => {
  const organizationId = await organizationWithEvents();
  const text = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '2', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
  ]);
  const { connectionId } = (await world.ask(organizationId, IMPORT, { text })).billImport.bill;
  await world.watch(organizationId);
  await world.rule(organizationId, { kind: 'BILL_DIFFERENCE' });
  await world.rule(organizationId, { kind: 'BILL_NOT_PULLED', value: '3' });
  for (const time of ['2026-10-08T12:00:00Z', '2026-10-08T13:00:00Z']) await world.evaluate(time, organizationId);
  const open = async () =>
    (await world.episodes(organizationId))
      .filter(({ kind, state }) => kind.startsWith('BILL_') && state === 'OPEN')
      .map(({ sentence, groupName, path }) => [sentence, groupName, path]);
  expect(await open()).toEqual([
    [
      'The bill from OpenAI and the books differ by 1.775 without an explanation, on 1 day since 2026-10-05.',
      'OpenAI',
      '/books/bills',
    ],
  ]);
  const input = { connectionId, day: '2026-10-05', model: 'gpt-4o-mini', kind: 'ACCEPT', note: 'known' };
  await world.ask(organizationId, APPLY, { input });
  for (const time of ['2026-10-10T12:00:00Z', '2026-10-10T13:00:00Z']) await world.evaluate(time, organizationId);
  expect(await open()).toEqual([['The newest bill from OpenAI ended 4 days ago.', 'OpenAI', '/books/bills']]);
});

it('reconciliation lists differences by model, by cause, and only unexplained ones, in at most 92 days', async () => {
  const organizationId = await organizationWithEvents();
  const text = costsOf([
    ['gpt-4o-mini-2024-07-18, input', '0.525', 'proj_a'],
    ['gpt-4o-mini-2024-07-18, output', '0.09', 'proj_a'],
    ['vector store storage', '0.5', 'proj_a'],
    ['something new', '0.07', 'proj_a'],
  ]);
  await world.ask(organizationId, IMPORT, { text });
  const LIST = `query ($filter: BillDifferenceFilter!) { billDifferences(filter: $filter) {
    totalCount nodes { model unit difference causes { cause } } } }`;
  const list = async (more: object = {}) => {
    const { billDifferences } = await world.ask(organizationId, LIST, { filter: { ...window, ...more } });
    expect(billDifferences.totalCount).toBe(billDifferences.nodes.length);
    return billDifferences.nodes.map(({ model, difference }: any) => `${model} ${difference}`).toSorted();
  };
  const [ofModel, others] = ['gpt-4o-mini 0.3', 'null 0.57'];
  expect(await list()).toEqual([ofModel, others]);
  expect(await list({ model: 'gpt-4o-mini' })).toEqual([ofModel]);
  expect(await list({ cause: 'NOT_TRACKED' })).toEqual([others]);
  expect(await list({ cause: 'CREDIT' })).toEqual([]);
  const span = (end: string) => list({ start: '2026-09-01T00:00:00Z', end });
  expect(await span('2026-12-02T00:00:00Z')).toEqual([ofModel, others]);
  await expect(span('2026-12-02T00:00:01Z')).rejects.toThrow('The window can contain at most 92 days');
});
