/** Differences of the whole service: which ones can be repaired, how, and how a repair is reverted. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alerting, startAlerting } from '../alerting/alerting-builder.ts';

let world: Alerting;
beforeAll(async () => {
  world = await startAlerting();
});
afterAll(() => world.close());

const IMPORT = `mutation ($text: String!) { billImport(input: { text: $text }) {
  bill { connectionId source } userErrors { message } } }`;
const DAYS = `query ($start: Instant!, $end: Instant!) { billDays(start: $start, end: $end) {
  day lastDay state billed own difference unexplained isUnexplained unknownCurrencies amountVerdict
  differences { model unit lastDay difference unexplained causes { cause amount detail percent } fix { note } } } }`;
const PROPOSE = `query ($connectionId: ID!, $day: String!, $model: String, $unit: String) {
  billFixPropose(connectionId: $connectionId, day: $day, model: $model, unit: $unit) { kind title amount percent } }`;
const APPLY = `mutation ($input: BillFixApplyInput!) { billFixApply(input: $input) {
  application { fix { id kind unit } difference explained remaining bookedChange } userErrors { message } } }`;
const REVERT =
  'mutation ($id: ID!) { billFixRevert(input: { id: $id }) { fix { revertedAt } userErrors { message } } }';

const DAY = '2026-10-05';
const window = { start: '2026-10-05T00:00:00Z', end: '2026-10-06T00:00:00Z' };
type CostRow = readonly [lineItem: string, value: number, currency?: string];
const billOf = (buckets: readonly (readonly [start: number, rows: readonly CostRow[]])[]) =>
  JSON.stringify({
    object: 'page',
    data: buckets.map(([start, rows]) => ({
      object: 'bucket',
      start_time: start / 1_000,
      end_time: start / 1_000 + 86_400,
      results: rows.map(([line_item, value, currency = 'usd']) => ({
        object: 'organization.costs.result',
        amount: { value, currency },
        line_item,
      })),
    })),
  });
const costsOf = (rows: readonly CostRow[]) => billOf([[Date.UTC(2026, 9, 5), rows]]);

/** Usage of the day, as billed and as in the books. */
const USAGE = JSON.stringify({
  object: 'page',
  data: [
    {
      object: 'bucket',
      start_time: Date.UTC(2026, 9, 5) / 1_000,
      end_time: Date.UTC(2026, 9, 6) / 1_000,
      results: [
        {
          object: 'organization.usage.completions.result',
          model: 'gpt-4o-mini-2024-07-18',
          input_tokens: 1_500_000,
          output_tokens: 150_000,
        },
      ],
    },
  ],
});

const imported = async (organizationId: string, text: string): Promise<string> =>
  (await world.ask(organizationId, IMPORT, { text })).billImport.bill.connectionId;
const days = async (organizationId: string, range: object = window) =>
  (await world.ask(organizationId, DAYS, { ...range })).billDays;
const apply = async (organizationId: string, input: object) =>
  (await world.ask(organizationId, APPLY, { input })).billFixApply;

/** gpt-4o-mini costs 0.15 and 0.60 a million: 0.315. */
async function organizationWithEvents(): Promise<string> {
  const organizationId = randomUUID();
  const event = { provider: 'openai', model: 'gpt-4o-mini', event_invoked_at: `${DAY}T10:00:00Z` };
  await world.send(organizationId, [{ ...event, input_tokens: 1_500_000, output_tokens: 150_000 }]);
  await world.settle();
  return organizationId;
}

it('reconciliation repairs each of several differences without a model', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.225],
      ['gpt-4o-mini-2024-07-18, output', 0.09],
      ['gpt-4o-mini-2024-07-18, something new', 2],
      ['web search tool calls', 3],
    ]),
  );
  const unexplained = async () =>
    (await days(organizationId))[0].differences
      .filter(({ model }: any) => model === null)
      .map(({ unit, unexplained: open, fix }: any) => [unit, open, fix?.note ?? null]);
  expect(await unexplained()).toEqual([
    [null, '2', null],
    ['searches', '3', null],
  ]);
  const given = { connectionId, day: DAY, kind: 'ACCEPT' };
  const { application } = await apply(organizationId, { ...given, unit: 'searches', note: 'second' });
  expect(application).toMatchObject({ fix: { unit: 'searches' }, difference: '3', remaining: '0' });
  expect(await unexplained()).toEqual([
    [null, '2', null],
    ['searches', '3', 'second'],
  ]);
  await apply(organizationId, { ...given, note: 'first' });
  expect(await unexplained()).toEqual([
    [null, '2', 'first'],
    ['searches', '3', 'second'],
  ]);
  expect((await days(organizationId))[0].state).toBe('CLOSED');
});

it('reconciliation does not call a period of several days settled while its two latest bills differ', async () => {
  const organizationId = await organizationWithEvents();
  const at = (daysAgo: number) => new Date(Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000).toISOString();
  const report = (amount: string) =>
    JSON.stringify({
      data: [
        {
          starting_at: at(10),
          ending_at: at(8),
          results: [
            { amount, currency: 'USD', cost_type: 'tokens', token_type: 'output_tokens', model: 'claude-haiku-4-5' },
          ],
        },
      ],
      has_more: false,
    });
  const range = { start: at(9), end: at(8) };
  await imported(organizationId, report('100'));
  expect((await days(organizationId, range)).map(({ state }: any) => state)).toEqual(['SETTLED']);
  await imported(organizationId, report('120'));
  expect(await days(organizationId, range)).toMatchObject([
    { day: at(10).slice(0, 10), lastDay: at(9).slice(0, 10), state: 'SETTLING', isUnexplained: false },
  ]);
});

it('reconciliation alerts on a bill in an unknown currency without calling its amounts dollars, until it is accepted', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 900, 'eur'],
      ['gpt-4o-mini-2024-07-18, output', 20, 'eur'],
    ]),
  );
  expect(await days(organizationId)).toMatchObject([
    { billed: '920', difference: null, unknownCurrencies: ['EUR'], isUnexplained: true, amountVerdict: 'UNKNOWN' },
  ]);
  await world.watch(organizationId);
  await world.rule(organizationId, { kind: 'BILL_DIFFERENCE' });
  const open = async (time: string) => {
    for (const hour of ['12', '13']) await world.evaluate(`${time}T${hour}:00:00Z`, organizationId);
    return (await world.episodes(organizationId))
      .filter(({ state }) => state === 'OPEN')
      .map(({ sentence }) => sentence);
  };
  expect(await open('2026-10-08')).toEqual([
    'The bill from OpenAI is in EUR at an unknown exchange rate, on 1 day since 2026-10-05.',
  ]);
  const input = { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'ACCEPT', note: 'Paid in euros' };
  expect((await apply(organizationId, input)).userErrors).toEqual([]);
  expect(await days(organizationId)).toMatchObject([{ state: 'CLOSED', isUnexplained: false }]);
  expect(await open('2026-10-10')).toEqual([]);
});

it('reconciliation does not alert on an accepted currency because of another difference below the minimum', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 900, 'eur'],
      ['gpt-4o-mini-2024-07-18, output', 20, 'eur'],
      ['web search tool calls', 3],
    ]),
  );
  await world.watch(organizationId);
  await world.rule(organizationId, { kind: 'BILL_DIFFERENCE', floor: '5' });
  await world.rule(organizationId, { kind: 'BILL_DIFFERENCE', floor: '3' });
  const input = { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'ACCEPT', note: 'Paid in euros' };
  expect((await apply(organizationId, input)).userErrors).toEqual([]);
  expect(await days(organizationId)).toMatchObject([{ unknownCurrencies: ['EUR'], isUnexplained: true }]);
  for (const hour of ['12', '13']) await world.evaluate(`2026-10-08T${hour}:00:00Z`, organizationId);
  // Only the rule with a floor of 3 opens an episode.
  expect((await world.episodes(organizationId)).map(({ sentence }) => sentence)).toEqual([
    'The bill from OpenAI and the books differ by 3 without an explanation, on 1 day since 2026-10-05.',
  ]);
});

it('reconciliation knows earlier prices of more than 200 models', async () => {
  const organizationId = randomUUID();
  const cards = `{ rateCards(filter: { provider: "openrouter" }, first: 200) { nodes { modelSlug } } }`;
  const { rateCards } = await world.ask(organizationId, cards);
  const names: string[] = rateCards.nodes.map(({ modelSlug }: any) => modelSlug);
  expect(names).toHaveLength(200);
  const last = 'zz-own-model';
  const set = 'mutation ($input: RateSetInput!) { rateSet(input: $input) { userErrors { message } } }';
  for (const [effectiveFrom, input] of [
    ['2026-01-01T00:00:00Z', '1'],
    ['2026-09-01T00:00:00Z', '2'],
  ])
    await world.ask(organizationId, set, {
      input: { model: last, provider: 'openrouter', input, output: '4', effectiveFrom },
    });
  const event = { provider: 'openrouter', event_invoked_at: `${DAY}T10:00:00Z`, output_tokens: 0 };
  await world.send(
    organizationId,
    [...names, last].map((model) => ({ ...event, model, input_tokens: 1_000_000 })),
  );
  await world.settle();
  const row = [
    DAY,
    '2026-10-06',
    '1',
    '1',
    'USD',
    'Usage',
    'OpenRouter',
    '1000000',
    'tokens',
    `"{""x_ModelId"":""${last}"",""x_TokenClass"":""input""}"`,
  ];
  await imported(
    organizationId,
    `ChargePeriodStart,ChargePeriodEnd,BilledCost,ListCost,BillingCurrency,ChargeCategory,ProviderName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails\n${row.join(',')}\n`,
  );
  const [day] = await days(organizationId);
  expect(day.differences.find(({ model }: any) => model === last).causes).toMatchObject([
    { cause: 'OTHER_PRICE', amount: '-1' },
  ]);
});

it('reconciliation records the discount that the bill shows, reprices, and takes it back', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.18],
      ['gpt-4o-mini-2024-07-18, output', 0.072],
    ]),
  );
  const [before] = await days(organizationId);
  expect(before.differences[0].causes).toMatchObject([{ cause: 'DISCOUNT', amount: '-0.063', percent: '20' }]);
  const difference = { connectionId, day: DAY, model: 'gpt-4o-mini' };
  expect((await world.ask(organizationId, PROPOSE, difference)).billFixPropose).toEqual([
    {
      kind: 'DISCOUNT',
      title: 'Record 20% off everything from openai from this day on, and reprice',
      amount: '-0.063',
      percent: '20',
    },
  ]);
  const effect = { difference: '-0.063', explained: '-0.063', remaining: '0' };
  const input = { ...difference, kind: 'DISCOUNT' };
  const preview = await apply(organizationId, { ...input, dryRun: true });
  expect(preview).toEqual({ application: { fix: null, ...effect, bookedChange: '-0.063' }, userErrors: [] });
  const agreements = async () =>
    (await world.ask(organizationId, '{ agreements { provider from discounts { models percent } } }')).agreements;
  expect(await agreements()).toEqual([]);

  const { application } = await apply(organizationId, input);
  expect(application).toMatchObject({ fix: { kind: 'DISCOUNT' }, ...effect });
  expect(await agreements()).toEqual([{ provider: 'openai', from: DAY, discounts: [{ models: null, percent: '20' }] }]);
  await world.settle();
  expect(await days(organizationId)).toMatchObject([{ own: '0.252', difference: '0', amountVerdict: 'AGREES' }]);

  const reverted = (await world.ask(organizationId, REVERT, { id: application.fix.id })).billFixRevert;
  expect(reverted).toEqual({ fix: { revertedAt: expect.any(String) }, userErrors: [] });
  await world.settle();
  expect(await agreements()).toEqual([]);
  expect(await days(organizationId)).toEqual([before]);
});

const AGREEMENTS = '{ agreements { id discounts { percent } } }';
const agreements = async (organizationId: string) => (await world.ask(organizationId, AGREEMENTS)).agreements;
/** An organization whose bill shows a discount of 20 %, and the fix for it. */
async function discounted(): Promise<{ organizationId: string; fix: object }> {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.18],
      ['gpt-4o-mini-2024-07-18, output', 0.072],
    ]),
  );
  return { organizationId, fix: { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'DISCOUNT' } };
}
/** Until `settle`, no other repricing of the organization can start. */
async function beginRepricing(organizationId: string): Promise<void> {
  const start = `mutation { repricingStart(input: { start: "2026-09-01T00:00:00Z", end: "2026-09-02T00:00:00Z" }) {
    userErrors { message } } }`;
  expect((await world.ask(organizationId, start)).repricingStart.userErrors).toEqual([]);
}
const RATES = '{ rateCards(filter: { isNegotiated: true }) { nodes { modelSlug versions { id effectiveFrom } } } }';
const IS_RUNNING = [{ message: expect.stringMatching(/^Repricing .* is running/) }];

it('reconciliation reverts a discount whose agreement is gone', async () => {
  const { organizationId, fix } = await discounted();
  const [before] = await days(organizationId);
  const { application } = await apply(organizationId, fix);
  await world.settle();
  const revert = async () => (await world.ask(organizationId, REVERT, { id: application.fix.id })).billFixRevert;
  // The first attempt removes the agreement, but cannot reprice.
  await beginRepricing(organizationId);
  expect(await revert()).toEqual({ fix: null, userErrors: IS_RUNNING });
  expect(await agreements(organizationId)).toEqual([]);
  await world.settle();
  expect(await revert()).toEqual({ fix: { revertedAt: expect.any(String) }, userErrors: [] });
  await world.settle();
  expect(await days(organizationId)).toEqual([before]);
  const { kind: _, ...difference } = fix as Record<string, string>;
  expect((await world.ask(organizationId, PROPOSE, difference)).billFixPropose).toMatchObject([{ kind: 'DISCOUNT' }]);
});

it('reconciliation continues a discount whose repricing could not start, with the same agreement', async () => {
  const { organizationId, fix } = await discounted();
  await beginRepricing(organizationId);
  expect(await apply(organizationId, fix)).toEqual({ application: null, userErrors: IS_RUNNING });
  const saved = await agreements(organizationId);
  expect(saved).toMatchObject([{ discounts: [{ percent: '20' }] }]);
  await world.settle();
  expect((await apply(organizationId, fix)).userErrors).toEqual([]);
  expect(await agreements(organizationId)).toEqual(saved);
  await world.settle();
  expect(await days(organizationId)).toMatchObject([{ own: '0.252', difference: '0' }]);
});

it('reconciliation continues a rate whose repricing could not start, without setting it again', async () => {
  const organizationId = await organizationWithEvents();
  await imported(organizationId, USAGE);
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.3],
      ['gpt-4o-mini-2024-07-18, output', 0.09],
    ]),
  );
  const fix = { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'RATE' };
  const rates = async () => (await world.ask(organizationId, RATES)).rateCards.nodes;
  await beginRepricing(organizationId);
  expect(await apply(organizationId, fix)).toEqual({ application: null, userErrors: IS_RUNNING });
  const saved = await rates();
  expect(saved).toMatchObject([{ modelSlug: 'gpt-4o-mini' }]);
  await world.settle();
  expect((await apply(organizationId, fix)).userErrors).toEqual([]);
  expect(await rates()).toEqual(saved);
  await world.settle();
  expect(await days(organizationId)).toMatchObject([{ own: '0.39', difference: '0' }]);
});

it('reconciliation keeps the other prices of a rate that was negotiated before', async () => {
  const organizationId = randomUUID();
  const set = 'mutation ($input: RateSetInput!) { rateSet(input: $input) { userErrors { message } } }';
  const contexts = [{ context: 'tier=batch', class: 'input', rate: '0.07' }];
  const rate = { model: 'gpt-4o-mini', provider: 'openai', input: '0.15', output: '0.5', contexts };
  const input = { ...rate, effectiveFrom: '2026-09-01T00:00:00Z' };
  expect((await world.ask(organizationId, set, { input })).rateSet.userErrors).toEqual([]);
  const event = { provider: 'openai', model: 'gpt-4o-mini', event_invoked_at: `${DAY}T10:00:00Z` };
  await world.send(organizationId, [{ ...event, input_tokens: 1_500_000, output_tokens: 150_000 }]);
  await world.settle();
  await imported(organizationId, USAGE);
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.3],
      ['gpt-4o-mini-2024-07-18, output', 0.075],
    ]),
  );
  expect(await days(organizationId)).toMatchObject([{ own: '0.3', difference: '0.075' }]);
  const fix = { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'RATE' };
  expect((await apply(organizationId, fix)).userErrors).toEqual([]);
  await world.settle();
  expect(await days(organizationId)).toMatchObject([{ own: '0.375', difference: '0' }]);
});

it('reconciliation can revert a discount whose repricing could not start', async () => {
  const { organizationId, fix } = await discounted();
  const [before] = await days(organizationId);
  await beginRepricing(organizationId);
  await apply(organizationId, fix);
  await world.settle();
  const read = 'query ($start: Instant!, $end: Instant!) { billDays(start: $start, end: $end) { fixes { id } } }';
  const [{ fixes }] = (await world.ask(organizationId, read, window)).billDays;
  expect(fixes).toHaveLength(1);
  expect((await world.ask(organizationId, REVERT, { id: fixes[0].id })).billFixRevert.userErrors).toEqual([]);
  await world.settle();
  expect([await agreements(organizationId), await days(organizationId)]).toEqual([[], [before]]);
});

it('reconciliation saves one agreement for concurrent requests, and keeps no fix that could not be saved', async () => {
  const { organizationId, fix } = await discounted();
  const save = `mutation ($input: AgreementSaveInput!) { agreementSave(input: $input) { userErrors { message } } }`;
  const other = { provider: 'openai', from: '2020-01-01', until: '2020-02-01', discounts: [{ percent: '1' }] };
  for (let count = 1; count <= 100; count++)
    await world.ask(organizationId, save, { input: { ...other, name: `Contract ${count}` } });
  const full = [{ message: 'The limit of 100 agreements is reached: remove one first' }];
  expect(await apply(organizationId, fix)).toEqual({ application: null, userErrors: full });
  const remove = 'mutation ($id: ID!) { agreementRemove(input: { id: $id }) { userErrors { message } } }';
  for (const one of (await agreements(organizationId)).slice(0, 50))
    await world.ask(organizationId, remove, { id: one.id });
  const applied = await Promise.all([1, 2, 3].map(() => apply(organizationId, fix)));
  expect(new Set(applied.flatMap(({ application }) => application?.fix.id ?? [])).size).toBe(1);
  expect(await agreements(organizationId)).toHaveLength(51);
});

it('reconciliation books the unexplained part without a customer, in the open month if the day is closed, and reverts it', async () => {
  const organizationId = await organizationWithEvents();
  // 0.225 and 0.09 agree; nothing explains the other line.
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.225],
      ['gpt-4o-mini-2024-07-18, output', 0.09],
      ['gpt-4o-mini-2024-07-18, something new', 0.07],
    ]),
  );
  const [before] = await days(organizationId);
  const open = before.differences.find((one: any) => one.unexplained !== '0');
  const key = { connectionId, day: DAY, model: open.model, unit: open.unit };
  const ADJUSTMENTS = `query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    costAdjustments { totalAmount nodes { day bookedDay provider model amount note isReverted reversesId } }
    costsByModel { totalCost } } }`;
  const october = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };
  const adjustments = async (range: object) => (await world.ask(organizationId, ADJUSTMENTS, { ...range })).window;
  expect((await world.ask(organizationId, PROPOSE, key)).billFixPropose).toMatchObject([
    { kind: 'ACCEPT', amount: open.unexplained },
    { kind: 'ADJUST', amount: open.unexplained },
  ]);
  const fix = { ...key, kind: 'ADJUST', note: 'Support plan' };
  expect((await apply(organizationId, { ...fix, note: '' })).userErrors).toEqual([
    { message: 'note is required to book a difference' },
  ]);
  const effect = { explained: open.unexplained, difference: open.difference };
  expect((await apply(organizationId, { ...fix, dryRun: true })).application).toMatchObject({ fix: null, ...effect });
  expect((await adjustments(october)).costAdjustments.nodes).toEqual([]);

  const applied = await Promise.all([1, 2].map(() => apply(organizationId, fix)));
  const ids = new Set(applied.flatMap(({ application }) => application?.fix.id ?? []));
  expect(ids.size).toBe(1);
  expect(await adjustments(october)).toMatchObject({
    costAdjustments: {
      totalAmount: open.unexplained,
      nodes: [{ day: DAY, bookedDay: DAY, provider: 'openai', amount: open.unexplained, note: 'Support plan' }],
    },
    costsByModel: { totalCost: '0.315' },
  });
  expect(await days(organizationId)).toMatchObject([
    { unexplained: '0', isUnexplained: false, amountVerdict: 'AGREES' },
  ]);
  expect((await world.ask(organizationId, PROPOSE, key)).billFixPropose).toEqual([]);

  const close = 'mutation { costsClose(input: { through: "2026-10" }) { userErrors { message } } }';
  expect((await world.ask(organizationId, close)).costsClose.userErrors).toEqual([]);
  await world.ask(organizationId, REVERT, { id: [...ids][0] });
  expect((await adjustments(october)).costAdjustments.totalAmount).toBe(open.unexplained);
  const november = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };
  expect((await adjustments(november)).costAdjustments).toMatchObject({
    totalAmount: `-${open.unexplained}`,
    nodes: [{ day: DAY, bookedDay: '2026-11-01', reversesId: [...ids][0] }],
  });
  expect(await days(organizationId)).toMatchObject([{ unexplained: open.unexplained, isUnexplained: true }]);
  // The closed day can be adjusted again, in the open month.
  await apply(organizationId, fix);
  expect((await adjustments(november)).costAdjustments.totalAmount).toBe('0');
  expect(await days(organizationId)).toMatchObject([{ unexplained: '0', isUnexplained: false }]);
});

const PROPOSE_CAUSES = PROPOSE.replace('percent', 'cause');

it('reconciliation books costs without usage events apart from the unexplained part, so that the day agrees, and reverts them', async () => {
  const organizationId = await organizationWithEvents();
  const agreed = [
    ['gpt-4o-mini-2024-07-18, input', 0.225],
    ['gpt-4o-mini-2024-07-18, output', 0.09],
  ] as const;
  const bill = (storage: number) =>
    costsOf([...agreed, ['vector store storage', storage], ['fine-tuning training', 4], ['something else', 0.07]]);
  const connectionId = await imported(organizationId, bill(0.5));
  const key = { connectionId, day: DAY };
  const { billFixPropose: proposed } = await world.ask(organizationId, PROPOSE_CAUSES, key);
  expect(proposed).toMatchObject([
    { kind: 'ADJUST', cause: 'NOT_TRACKED', amount: '4.5' },
    { kind: 'ACCEPT', cause: null, amount: '0.07' },
    { kind: 'ADJUST', cause: null, amount: '0.07' },
  ]);
  const fix = { ...key, kind: 'ADJUST', cause: 'NOT_TRACKED', note: 'Storage and training' };
  const causes = async () => {
    const [{ unexplained, amountVerdict, differences }] = await days(organizationId);
    const shares = differences.flatMap((one: any) => one.causes.map(({ cause, amount }: any) => [cause, amount]));
    return { unexplained, amountVerdict, shares };
  };
  expect((await apply(organizationId, { ...fix, dryRun: true })).application).toMatchObject({
    fix: null,
    difference: '4.57',
    explained: '4.5',
    remaining: '0.07',
  });
  const applied = await Promise.all([1, 2].map(() => apply(organizationId, fix)));
  const [id, ...others] = new Set(applied.flatMap(({ application }) => application?.fix.id ?? []));
  expect(others).toEqual([]);
  const unexplained = [['ADJUSTMENT', '4.5']];
  expect(await causes()).toEqual({ unexplained: '0.07', amountVerdict: 'DIFFERS', shares: unexplained });
  await apply(organizationId, { ...key, kind: 'ADJUST', note: 'Not known' });
  const both = [...unexplained, ['ADJUSTMENT', '0.07']];
  expect(await causes()).toEqual({ unexplained: '0', amountVerdict: 'AGREES', shares: both });
  expect((await world.ask(organizationId, PROPOSE_CAUSES, key)).billFixPropose).toEqual([]);

  // The bill is corrected: only the rest is left to book.
  await imported(organizationId, bill(0.75));
  expect((await world.ask(organizationId, PROPOSE_CAUSES, key)).billFixPropose).toMatchObject([
    { kind: 'ADJUST', cause: 'NOT_TRACKED', amount: '0.25' },
  ]);
  await world.ask(organizationId, REVERT, { id });
  expect((await world.ask(organizationId, PROPOSE_CAUSES, key)).billFixPropose).toMatchObject([
    { kind: 'ADJUST', cause: 'NOT_TRACKED', amount: '4.75' },
  ]);
});

it('reconciliation does not apply an adjustment a second time to lines of a scope that is not tracked', async () => {
  const organizationId = await organizationWithEvents();
  const text = [
    'start_time,end_time,amount_value,amount_currency,line_item,project_id',
    '1791158400,1791244800,0.225,usd,"gpt-4o-mini-2024-07-18, input",proj_a',
    '1791158400,1791244800,0.09,usd,"gpt-4o-mini-2024-07-18, output",proj_a',
    '1791158400,1791244800,0.07,usd,something new,',
    '1791158400,1791244800,0.4,usd,"gpt-4o-mini-2024-07-18, input",proj_b',
  ].join('\n');
  const connectionId = await imported(organizationId, text);
  const key = { connectionId, day: DAY };
  const untracked = { ...key, model: 'gpt-4o-mini', kind: 'UNTRACK', scope: 'project:proj_b' };
  expect((await apply(organizationId, untracked)).userErrors).toEqual([]);
  expect((await apply(organizationId, { ...key, kind: 'ADJUST', note: 'New' })).userErrors).toEqual([]);
  expect(await days(organizationId)).toMatchObject([{ unexplained: '0', amountVerdict: 'EXPLAINED' }]);
  // Spending of a scope that is not tracked is not offered as a cost.
  expect((await world.ask(organizationId, PROPOSE, key)).billFixPropose).toEqual([]);
});

it('reconciliation does not book costs without usage events that are billed in another currency', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(organizationId, costsOf([['vector store storage', 0.5, 'eur']]));
  const { billFixPropose: proposed } = await world.ask(organizationId, PROPOSE, { connectionId, day: DAY });
  expect(proposed.filter(({ kind }: any) => kind === 'ADJUST')).toEqual([]);
});

it.each([
  [{ amount: '0' }, 'amount must not be 0, and can have at most 1000000000 USD and 15 fraction digits'],
  [{ amount: '-1000000000.01' }, 'amount must not be 0, and can have at most 1000000000 USD and 15 fraction digits'],
  [{ day: '2026-02-30' }, 'day must be a UTC day, such as 2026-11-27'],
  [{ day: '2999-01-01' }, 'day must not be in the future'],
  [{ provider: ' ' }, 'provider must have 1 to 255 characters'],
  [{ note: 'n'.repeat(501) }, 'note must have 1 to 500 characters'],
])('reconciliation refuses the adjustment %j', async (more, message) => {
  const input = { day: DAY, provider: 'openai', amount: '1', note: 'a note', ...more };
  const document = `mutation ($input: CostAdjustmentBookInput!) { costAdjustmentBook(input: $input) {
    costAdjustment { id } userErrors { message } } }`;
  expect((await world.ask(randomUUID(), document, { input })).costAdjustmentBook).toEqual({
    costAdjustment: null,
    userErrors: [{ message }],
  });
});

it('reconciliation refuses fixes for a day that does not exist', async () => {
  const difference = { connectionId: randomUUID(), day: '2026-02-30', model: null, unit: 'token' };
  await expect(world.ask(randomUUID(), PROPOSE, difference)).rejects.toThrow(
    'day must be a UTC day, such as 2026-11-27',
  );
});

it('reconciliation books a repair of a closed month in the open one', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(
    organizationId,
    costsOf([
      ['gpt-4o-mini-2024-07-18, input', 0.18],
      ['gpt-4o-mini-2024-07-18, output', 0.072],
    ]),
  );
  const close = 'mutation { costsClose(input: { through: "2026-10" }) { userErrors { message } } }';
  expect((await world.ask(organizationId, close)).costsClose.userErrors).toEqual([]);
  const booked = async (start: string, end: string) =>
    (
      await world.ask(
        organizationId,
        'query ($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { costsByModel { totalCost } } }',
        { start, end },
      )
    ).window.costsByModel.totalCost;
  await apply(organizationId, { connectionId, day: DAY, model: 'gpt-4o-mini', kind: 'DISCOUNT' });
  await world.settle();
  expect(await booked('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z')).toBe('0.315');
  expect(await booked('2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z')).toBe('-0.063');
  // The closed day keeps its difference, whose cause is the closed month, and the discount is not offered again.
  expect(await days(organizationId)).toMatchObject([
    {
      own: '0.315',
      difference: '-0.063',
      unexplained: '0',
      isUnexplained: false,
      differences: [
        {
          model: 'gpt-4o-mini',
          causes: [
            {
              cause: 'CLOSED_MONTH',
              amount: '-0.063',
              detail: '-0.063 is booked on 2026-11-01, because the month was closed',
            },
          ],
        },
      ],
    },
  ]);
  const difference = { connectionId, day: DAY, model: 'gpt-4o-mini' };
  expect((await world.ask(organizationId, PROPOSE, difference)).billFixPropose).toEqual([]);
});

it('reconciliation names what was booked in the open month for events of a closed one, on both days', async () => {
  const organizationId = await organizationWithEvents();
  const close = 'mutation { costsClose(input: { through: "2026-10" }) { userErrors { message } } }';
  expect((await world.ask(organizationId, close)).costsClose.userErrors).toEqual([]);
  const event = { provider: 'openai', model: 'gpt-4o-mini', input_tokens: 1_000_000, output_tokens: 0 };
  await world.send(organizationId, [
    { ...event, event_invoked_at: `${DAY}T11:00:00Z` },
    { ...event, event_invoked_at: '2026-11-01T11:00:00Z' },
  ]);
  await world.settle();
  await imported(
    organizationId,
    billOf([
      // 2.5 and 1 million input tokens at 0.15, 0.15 million output tokens at 0.60.
      [
        Date.UTC(2026, 9, 5),
        [
          ['gpt-4o-mini-2024-07-18, input', 0.375],
          ['gpt-4o-mini-2024-07-18, output', 0.09],
        ],
      ],
      [Date.UTC(2026, 10, 1), [['gpt-4o-mini-2024-07-18, input', 0.15]]],
    ]),
  );
  const whole = { start: '2026-10-01T00:00:00Z', end: '2026-11-10T00:00:00Z' };
  const cause = (amount: string, detail: string) => [{ cause: 'CLOSED_MONTH', amount, detail }];
  expect(await days(organizationId, whole)).toMatchObject([
    {
      day: DAY,
      billed: '0.465',
      own: '0.315',
      unexplained: '0',
      differences: [{ causes: cause('0.15', '0.15 is booked on 2026-11-01, because the month was closed') }],
    },
    {
      day: '2026-11-01',
      billed: '0.15',
      own: '0.3',
      unexplained: '0',
      differences: [{ causes: cause('-0.15', `0.15 of ${DAY} is booked here, because that month was closed`) }],
    },
  ]);
});

it('reconciliation calls a day final again when its two latest pulls agree', async () => {
  const organizationId = randomUUID();
  const midnight = (daysAgo: number) => Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000;
  const costs = (daysAgo: number, value: number): Parameters<typeof billOf>[0][number] => [
    midnight(daysAgo),
    [['gpt-4o-mini-2024-07-18, input', value]],
  ];
  const range = { start: new Date(midnight(2)).toISOString(), end: new Date(midnight(1)).toISOString() };
  const state = async () => (await days(organizationId, range))[0].state;
  await imported(organizationId, billOf([costs(2, 9)]));
  expect(await state()).toBe('SETTLED');
  await imported(organizationId, billOf([costs(2, 8)]));
  expect(await state()).toBe('SETTLING');
  await imported(organizationId, billOf([costs(2, 8), costs(3, 1)]));
  expect(await state()).toBe('SETTLED');
});

it('reconciliation calls a day final after the hours that an owner sets', async () => {
  const organizationId = await organizationWithEvents();
  const connectionId = await imported(organizationId, costsOf([['gpt-4o-mini-2024-07-18, input', 9]]));
  const update = `mutation ($input: BillConnectionUpdateInput!) { billConnectionUpdate(input: $input) {
    billConnection { settleHours } userErrors { message code } } }`;
  const set = async (id: string, settleHours: number) =>
    (await world.ask(organizationId, update, { input: { id, settleHours } })).billConnectionUpdate;
  const state = async () => (await days(organizationId))[0].state;
  expect(await state()).toBe('SETTLED');
  expect(await set(connectionId, 2_160)).toEqual({ billConnection: { settleHours: 2_160 }, userErrors: [] });
  expect(await state()).toBe('SETTLING');
  expect((await set(connectionId, 0)).userErrors).toEqual([]);
  expect(await state()).toBe('SETTLED');
  expect(await set(connectionId, 2_161)).toMatchObject({
    billConnection: null,
    userErrors: [{ message: 'settleHours must be from 0 to 2160', code: 'VALIDATION_ERROR' }],
  });
  expect((await set(randomUUID(), 1)).userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
});
