/** Credits on bills next to those that the books compute. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Alerting, startAlerting } from '../alerting/alerting-builder.ts';

let world: Alerting;
beforeAll(async () => {
  world = await startAlerting();
});
afterAll(() => world.close());

const IMPORT = `mutation ($text: String!) {
  billImport(input: { text: $text }) { bill { connectionId source } userErrors { message } } }`;
const SAVE = `mutation ($input: ProviderCreditSaveInput!) {
  providerCreditSave(input: $input) { providerCredit { id } userErrors { message } } }`;
const BILLED = `query ($start: Instant!, $end: Instant!) { billedCredits(start: $start, end: $end) {
  source provider currency from to days billed used difference left } }`;
const USED = `query ($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { usedCredits { used days { day provider used } } } }`;
const october = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };

/** 2 USD on 5 and 6 October and 1 USD on the 7th, paid for with a credit of 100 USD. */
async function organizationWithCredit(): Promise<string> {
  const organizationId = randomUUID();
  const event = { provider: 'google', model: 'gemini-2.5-flash', input_tokens: 1 };
  await world.send(organizationId, [
    { ...event, cost_override: '2', event_invoked_at: '2026-10-05T10:00:00Z' },
    { ...event, cost_override: '2', event_invoked_at: '2026-10-06T10:00:00Z' },
    { ...event, cost_override: '1', event_invoked_at: '2026-10-07T10:00:00Z' },
  ]);
  await world.settle();
  const input = { provider: 'google', name: 'Startup program', amount: '100', from: '2026-10-01' };
  expect((await world.ask(organizationId, SAVE, { input })).providerCreditSave.userErrors).toEqual([]);
  await world.run('burn-provider-credits');
  return organizationId;
}

const COLUMNS = 'service.description,sku.description,usage_start_time,usage_end_time,cost,currency,credits,cost_type';
const SKU = 'Gemini 2.5 Flash GA Text Input';
const rowOf = (day: string, cost: string, credit: string, { currency = 'USD', service = 'Vertex AI' } = {}) =>
  `${service},${SKU},${day} 00:00:00 UTC,${day} 01:00:00 UTC,${cost},${currency},"[{""amount"": ""-${credit}"", ""type"": ""PROMOTION""},{""amount"": ""-0.1"", ""type"": ""DISCOUNT""}]",regular`;
const importRows = async (organizationId: string, ...rows: readonly string[]) =>
  expect(
    (await world.ask(organizationId, IMPORT, { text: [COLUMNS, ...rows].join('\n') })).billImport.userErrors,
  ).toEqual([]);

it('credits are compared on the days of the bill, with the amount left if the bill is right', async () => {
  const organizationId = await organizationWithCredit();
  const { usedCredits } = (await world.ask(organizationId, USED, october)).window;
  expect(usedCredits).toEqual({
    used: '5',
    days: [
      { day: '2026-10-05', provider: 'google', used: '2' },
      { day: '2026-10-06', provider: 'google', used: '2' },
      { day: '2026-10-07', provider: 'google', used: '1' },
    ],
  });
  expect((await world.ask(organizationId, BILLED, october)).billedCredits).toEqual([]);

  await importRows(
    organizationId,
    rowOf('2026-10-05', '2.1', '2'),
    rowOf('2026-10-06', '2.35', '2.25'),
    rowOf('2026-10-06', '9', '9', { service: 'Compute Engine' }),
  );
  expect((await world.ask(organizationId, BILLED, october)).billedCredits).toEqual([
    {
      source: 'gcp.billing',
      provider: 'google',
      currency: 'USD',
      from: '2026-10-05',
      to: '2026-10-06',
      days: 2,
      billed: '4.25',
      used: '4',
      difference: '0.25',
      left: '94.75',
    },
  ]);

  // Billed credits on the days that the window contains.
  const billedIn = async (start: string, end: string) =>
    (
      await world.ask(organizationId, BILLED, { start: `${start}T00:00:00Z`, end: `${end}T00:00:00Z` })
    ).billedCredits.map(({ days, billed, used }: { days: number; billed: string; used: string }) => [
      days,
      billed,
      used,
    ]);
  expect(await billedIn('2026-10-01', '2026-10-06')).toEqual([[1, '2', '2']]);
  expect(await billedIn('2026-10-06', '2026-10-07')).toEqual([[1, '2.25', '2']]);
  expect(await billedIn('2026-10-07', '2026-10-08')).toEqual([]);

  // A later bill of the same day replaces the earlier one.
  await importRows(organizationId, rowOf('2026-10-06', '2.1', '2'));
  expect((await world.ask(organizationId, BILLED, october)).billedCredits).toMatchObject([
    { billed: '4', used: '4', difference: '0', left: '95' },
  ]);
});

it('a day is compared with the credits of its own provider, once the day is settled', async () => {
  const organizationId = await organizationWithCredit();
  const event = { provider: 'anthropic', model: 'claude-haiku-4-5', input_tokens: 1 };
  await world.send(organizationId, [{ ...event, cost_override: '7', event_invoked_at: '2026-10-05T10:00:00Z' }]);
  await world.settle();
  for (const input of [
    { provider: 'anthropic', name: 'Grant', amount: '50', from: '2026-10-01' },
    // An expired credit has no remaining balance, although it was not used up.
    { provider: 'google', name: 'Ended', amount: '20', from: '2026-09-01', until: '2026-09-30' },
  ])
    expect((await world.ask(organizationId, SAVE, { input })).providerCreditSave.userErrors).toEqual([]);
  await world.run('burn-provider-credits');
  await importRows(organizationId, rowOf('2026-10-05', '2.1', '2'));
  const billed = async () => (await world.ask(organizationId, BILLED, october)).billedCredits;
  expect(await billed()).toMatchObject([{ provider: 'google', billed: '2', used: '2', difference: '0', left: '95' }]);
  const { billConnections } = await world.ask(organizationId, '{ billConnections { id } }');
  const UPDATE = `mutation ($id: ID!) { billConnectionUpdate(input: { id: $id, settleHours: 2160 }) { userErrors { message } } }`;
  await world.ask(organizationId, UPDATE, { id: billConnections[0].id });
  expect(await billed()).toEqual([]);
});

it('a bill in another currency is shown without being compared', async () => {
  const organizationId = await organizationWithCredit();
  await importRows(organizationId, rowOf('2026-10-05', '8', '7.5', { currency: 'PLN' }));
  expect((await world.ask(organizationId, BILLED, october)).billedCredits).toMatchObject([
    { currency: 'PLN', days: 1, billed: '7.5', used: null, difference: null, left: null },
  ]);
});

it('there are no lines for providers without a credit, nor for bills that state amounts before credits', async () => {
  const organizationId = await organizationWithCredit();
  const costs =
    'start_time,end_time,amount_value,amount_currency,line_item\n1791158400,1791244800,1,usd,"gpt-4o-mini, input"\n';
  expect((await world.ask(organizationId, IMPORT, { text: costs })).billImport.bill.source).toBe('openai.costs');
  expect((await world.ask(organizationId, BILLED, october)).billedCredits).toEqual([]);
  const other = randomUUID();
  await importRows(other, rowOf('2026-10-05', '2.1', '2'));
  expect((await world.ask(other, BILLED, october)).billedCredits).toEqual([]);
});

it('at most 400 days are compared', async () => {
  const window = { start: '2025-01-01T00:00:00Z', end: '2026-10-01T00:00:00Z' };
  await expect(world.ask(randomUUID(), BILLED, window)).rejects.toThrow('The window has more than 400 days');
});
