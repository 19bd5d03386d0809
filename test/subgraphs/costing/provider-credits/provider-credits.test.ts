/** Credits of providers in a database: settled days, revisions, closed months, and what verification finds. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { saveFixedCost } from '../../../../subgraphs/costing/fixed-costs/save-fixed-cost.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { burnProviderCreditsJob } from '../../../../subgraphs/costing/provider-credits/burn-provider-credits.job.ts';
import { burnSettledDays } from '../../../../subgraphs/costing/provider-credits/burn-settled-days.step.ts';
import { getShortfalls } from '../../../../subgraphs/costing/commitments/get-shortfalls.operation.ts';
import { getUsedCredits } from '../../../../subgraphs/costing/provider-credits/get-used-credits.operation.ts';
import { listProviderCredits } from '../../../../subgraphs/costing/provider-credits/list-provider-credits.operation.ts';
import { proposeProviderCredit } from '../../../../subgraphs/costing/provider-credits/propose-provider-credit.operation.ts';
import { removeProviderCredit } from '../../../../subgraphs/costing/provider-credits/remove-provider-credit.operation.ts';
import { saveProviderCredit } from '../../../../subgraphs/costing/provider-credits/save-provider-credit.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import type { ProviderCreditSaveInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, type Costing, log, startCosting } from '../costing-builder.ts';

let costing: Costing;
/** 2.50 USD per million input tokens, 10 USD per million output tokens. */
const rate = { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10', effectiveFrom: '2020-01-01' };
beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, rate);
});
afterEach(() => costing.close());

const welcome: ProviderCreditSaveInput = {
  kind: 'CREDIT',
  provider: 'OpenAI',
  name: 'Welcome',
  amount: '10',
  currency: 'USD',
  from: '2026-03-01',
  until: '2026-03-11',
};
/** Costs 2.50 USD for input and 1 USD for output. */
const callOn = (day: string, more: object = {}) =>
  call({
    model: 'gpt-4o',
    provider: 'openai',
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    event_invoked_at: `${day}T12:00:00Z`,
    ...more,
  });
const send = async (events: readonly object[], context = costing.live) => {
  await costing.send(events, context);
  await costing.settle();
};
const burn = async () => {
  const job = burnProviderCreditsJob({ database: costing.database, log });
  while ((await job.step()) === 'more');
};
/** A day that was read is read again after an hour at the earliest. */
const burnAnHourLater = async () => {
  await costing.rows("update provider_credit_day set read_at = '2020-01-01'");
  await burn();
};
const save = (more: Partial<ProviderCreditSaveInput> = {}) =>
  saveProviderCredit(costing.operator, { ...welcome, ...more });
/** `name: used expired left` */
const credits = async (context = costing.operator, asOf: string | null = null) =>
  (await listProviderCredits(context, asOf)).map(
    ({ name, used, expired, left }) => `${name}: ${[used, expired, left].map(plain).join(' ')}`,
  );
const booked = async (start: string, end: string) => {
  const { used, expired } = await getUsedCredits(costing.operator, parseWindow({ start, end }));
  return [plain(used), plain(expired)];
};
const entries = () =>
  costing.rows<{ text: string }>(
    `select concat_ws(' ', day, revision, cause, booked_day, trim_scale(amount)) as text from provider_credit_entry order by day, revision, cause`,
  );
const texts = async () => (await entries()).map(({ text }) => text);
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);

describe('a credit', () => {
  it('pays for contracted costs by day, and what is left expires; costs stay as they are', async () => {
    await send([callOn('2026-03-02'), callOn('2026-03-02'), callOn('2026-03-05'), callOn('2026-03-11')]);
    await send([callOn('2026-03-03')], costing.test);
    await send([callOn('2026-03-03')], costing.stranger);
    const before = await costing.costs();
    await save({ amount: '12' });
    expect(await credits()).toEqual(['Welcome: 0 0 12']);
    await burn();
    expect(await credits()).toEqual(['Welcome: 10.5 1.5 0']);
    expect(await texts()).toEqual([
      '2026-03-02 1 burn 2026-03-02 7',
      '2026-03-05 1 burn 2026-03-05 3.5',
      '2026-03-10 1 expiry 2026-03-10 1.5',
    ]);
    expect([await booked('2026-03-01', '2026-03-05'), await booked('2026-03-05', '2026-04-01')]).toEqual([
      ['7', '0'],
      ['3.5', '1.5'],
    ]);
    await burn();
    expect(await texts()).toHaveLength(3);
    expect(await costing.costs()).toEqual(before);
    expect(await credits(costing.stranger)).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('pays only for what it selects, and is used before one that expires later', async () => {
    await send([callOn('2026-03-02')]);
    await save({ name: 'Later', until: '2026-04-01', amount: '100' });
    await save({ name: 'Output', classes: ['output'], models: ['GPT-*'], until: '2026-03-20', amount: '0.4' });
    await burn();
    expect((await credits()).toSorted()).toEqual(['Later: 3.1 96.9 0', 'Output: 0.4 0 0']);
    // Expired amounts were not used, so only the payment of one day is listed.
    const { days } = await getUsedCredits(costing.operator, parseWindow({ start: '2026-03-01', end: '2026-05-01' }));
    expect(days.map(({ day, provider, used }) => [day, provider, plain(used)])).toEqual([
      ['2026-03-02', 'openai', '3.5'],
    ]);
    expect(await differences()).toEqual([]);
  });

  it('follows late events and repricings as if they had happened in time, and keeps what was known before', async () => {
    await save();
    await send([callOn('2026-03-02'), callOn('2026-03-04')]);
    await burn();
    expect(await credits()).toEqual(['Welcome: 7 3 0']);
    const known = new Date(Date.now() + 1).toISOString();
    await send([callOn('2026-03-01')]);
    await burn();
    expect(await credits()).toEqual(['Welcome: 7 3 0']);
    await burnAnHourLater();
    expect(await credits()).toEqual(['Welcome: 10 0 0']);
    expect((await texts()).filter((text) => text.includes(' 2 '))).toEqual([
      '2026-03-01 2 burn 2026-03-01 3.5',
      '2026-03-04 2 burn 2026-03-04 -0.5',
      '2026-03-10 2 expiry 2026-03-10 -3',
    ]);
    await setRate(costing.global, { ...rate, input: '0.5', effectiveFrom: '2026-02-01' });
    await reprice(costing.operator, { start: '2026-03-01', end: '2026-04-01', dryRun: false });
    await costing.settle();
    await burnAnHourLater();
    // 1.50 a day.
    expect(await credits()).toEqual(['Welcome: 4.5 5.5 0']);
    expect(await credits(costing.operator, known)).toEqual(['Welcome: 7 3 0']);
    expect(await differences()).toEqual([]);
  });

  it('pays for a day that was read twice before its entries were computed', async () => {
    await save();
    await burn();
    const readAgain = async () => {
      await costing.rows("update provider_credit_day set read_at = '2020-01-01'");
      expect(await burnSettledDays(costing.database, costing.organizationId)).toBe(true);
    };
    await send([callOn('2026-03-02')]);
    await readAgain();
    // Changes the day's counters, but none of the costs that the credit can pay for.
    await send([callOn('2026-03-02', { model: 'claude-x', provider: 'anthropic', cost_override: '1' })]);
    await readAgain();
    await burn();
    expect(await credits()).toEqual(['Welcome: 3.5 6.5 0']);
    expect(await differences()).toEqual([]);
  });

  it('pays for days that were read before, when its provider had no credit', async () => {
    await send([callOn('2026-03-02', { model: 'claude-x', provider: 'anthropic', cost_override: '4' })]);
    await save();
    await burn();
    await setRate(costing.global, { ...rate, model: 'claude-y', provider: 'anthropic' });
    await save({ provider: 'anthropic', name: 'Other' });
    await burn();
    expect((await credits()).toSorted()).toEqual(['Other: 4 6 0', 'Welcome: 0 10 0']);
    expect(await differences()).toEqual([]);
  });

  it('is listed in a window in which it only expires', async () => {
    await send([callOn('2026-03-02')]);
    await save();
    await burn();
    const window = parseWindow({ start: '2026-03-10', end: '2026-03-11' });
    const { lines, days } = await getUsedCredits(costing.operator, window);
    expect(lines.map(({ name, used, expired }) => [name, plain(used), plain(expired)])).toEqual([
      ['Welcome', '0', '6.5'],
    ]);
    expect(days).toEqual([]);
  });

  it('is booked in the open month if it is entered after its months were closed', async () => {
    await send([callOn('2026-03-02')]);
    await closeCosts(costing.operator, '2026-03');
    await save();
    await burn();
    expect(await texts()).toEqual(['2026-03-02 1 burn 2026-04-01 3.5', '2026-03-10 1 expiry 2026-04-01 6.5']);
    expect([await booked('2026-03-01', '2026-04-01'), await booked('2026-04-01', '2026-05-01')]).toEqual([
      ['0', '0'],
      ['3.5', '6.5'],
    ]);
  });

  it('is previewed with the sums of all days', async () => {
    await send([callOn('2026-03-02'), callOn('2026-03-05')]);
    const { credit, others } = await proposeProviderCredit(costing.operator, { ...welcome, amount: '12' });
    expect([credit.used, credit.expired, credit.left].map(plain)).toEqual(['7', '5', '0']);
    expect(others).toEqual([]);
  });

  it('is previewed exactly, changed, and removed with opposite entries', async () => {
    await send([callOn('2026-03-02')]);
    const preview = await proposeProviderCredit(costing.operator, welcome);
    expect([preview.credit.used, preview.credit.expired].map(plain)).toEqual(['3.5', '6.5']);
    expect(await credits()).toEqual([]);
    const { id } = await save();
    await burn();
    const bigger = await proposeProviderCredit(costing.operator, { ...welcome, id, amount: '20' });
    expect([plain(bigger.credit.expired), bigger.others]).toEqual(['16.5', []]);
    const second = await proposeProviderCredit(costing.operator, { ...welcome, from: '2026-03-03', name: 'Second' });
    expect(second.others.map(({ used, expired }) => [used, expired].map(plain))).toEqual([['3.5', '6.5']]);
    const saved = await save({ id, amount: '20' });
    expect([saved.used, saved.expired].map(plain)).toEqual(['3.5', '6.5']);
    await burn();
    expect(await credits()).toEqual(['Welcome: 3.5 16.5 0']);
    await removeProviderCredit(costing.operator, id);
    await burn();
    expect(await credits()).toEqual([]);
    expect(await booked('2026-03-01', '2026-04-01')).toEqual(['0', '0']);
    expect(await differences()).toEqual([]);
    await expect(removeProviderCredit(costing.operator, id)).rejects.toThrow('Unknown credit');
    const { nodes } = await listAuditRecords(costing.operator, { first: 3 });
    expect(nodes.map(({ action }) => action)).toEqual([
      'provider_credit.removed',
      'provider_credit.changed',
      'provider_credit.created',
    ]);
  });

  it('a credit that was paid for is a prepayment: what expires of it is a cost, and it is used in the same order', async () => {
    await send([callOn('2026-03-02'), callOn('2026-03-05')]);
    const { id } = await save({ kind: 'PREPAYMENT', name: 'Paid', amount: '10' });
    await save({ name: 'Gift', until: '2026-03-05', amount: '2' });
    await burn();
    expect((await credits()).toSorted()).toEqual(['Gift: 2 0 0', 'Paid: 5 5 0']);
    const shortfalls = async (start: string, end: string) => {
      const { total, lines } = await getShortfalls(costing.operator, parseWindow({ start, end }));
      return [plain(total), ...lines.map((line) => `${line.kind} ${line.name} ${line.provider} ${plain(line.amount)}`)];
    };
    expect(await shortfalls('2026-03-10', '2026-03-11')).toEqual(['5', 'PREPAYMENT Paid openai 5']);
    expect(await shortfalls('2026-03-01', '2026-03-10')).toEqual(['0']);
    // Used + expired = paid.
    expect(await booked('2026-03-01', '2026-04-01')).toEqual(['7', '5']);
    expect(await differences()).toEqual([]);
    await save({ id, kind: 'CREDIT', name: 'Paid', amount: '10' });
    expect(await shortfalls('2026-03-01', '2026-04-01')).toEqual(['0']);
    await save({ id, kind: 'PREPAYMENT', name: 'Paid', amount: '4.5' });
    await burn();
    expect(await shortfalls('2026-03-01', '2026-04-01')).toEqual(['0']);
    await removeProviderCredit(costing.operator, id);
    await burn();
    expect(await shortfalls('2026-03-01', '2026-04-01')).toEqual(['0']);
    expect(await differences()).toEqual([]);
  });

  it.each(['CREDIT', 'PREPAYMENT'] as const)('(%s) pays for no call that a fixed cost replaces', async (kind) => {
    await send(['02', '03', '04'].map((date) => callOn(`2026-03-${date}`)));
    const { id } = await save({ kind });
    await burn();
    expect(await credits()).toEqual(['Welcome: 10 0 0']);
    await saveFixedCost(costing.operator, {
      key: 'ptu',
      name: 'Provisioned throughput',
      driver: 'NONE',
      replacesModelCost: true,
      scope: { models: ['gpt-4o'] },
      periods: [{ from: '2026-03-03', until: null, amount: '100', currency: 'USD', per: 'DAY', quantity: '1' }],
    });
    const preview = await proposeProviderCredit(costing.operator, { ...welcome, id, kind });
    expect([preview.credit.used, preview.credit.expired].map(plain)).toEqual(['3.5', '6.5']);
    await burn();
    // Only the call of 2 March has a price: the rest of the credit expires.
    expect(await credits()).toEqual(['Welcome: 3.5 6.5 0']);
    expect(await differences()).toEqual([]);
    await costing.rows("update provider_credit_day set costs = '[]' where day = '2026-03-02' returning 1");
    expect((await differences()).join()).toContain('2026-03-02: the ledger has 3.5, credits were computed with 0');
  });

  it('has a forecast while it lasts', async () => {
    const today = new Date();
    const dayAt = (ago: number) => new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    await save({ from: dayAt(4), until: dayAt(-10), amount: '100' });
    await send([callOn(dayAt(3))]);
    await burn();
    const [credit] = await listProviderCredits(costing.operator);
    expect(plain(credit!.left)).toBe('96.5');
    expect(credit!.forecast?.usedUpOn).toBeNull();
    expect(credit!.forecast!.expiresUnused! < credit!.left).toBe(true);
  });

  it('is replaced with every term, in both directions', async () => {
    await setRate(costing.global, { ...rate, model: 'claude-y', provider: 'anthropic' });
    const first = {
      ...{ kind: 'CREDIT' as const, provider: 'openai', name: 'Welcome', amount: '10', from: '2026-03-01' },
      ...{ models: null, classes: null, until: null, order: null },
    };
    const second = {
      ...{ kind: 'PREPAYMENT' as const, provider: 'anthropic', name: 'Paid', amount: '20', from: '2026-02-01' },
      ...{ models: ['claude-*'], classes: ['input'], until: '2026-08-01', order: 3 },
    };
    const { id } = await save(first);
    for (const terms of [second, first]) {
      await save({ ...terms, id });
      const [credit] = await listProviderCredits(costing.operator);
      expect({ ...credit, amount: plain(credit!.amount) }).toMatchObject(terms);
    }
  });

  it('can select a unit that a rate card charges for', async () => {
    await expect(save({ classes: ['searches'] })).rejects.toThrow('classes contains searches');
    await setRate(costing.global, {
      model: 'gpt-4o-search',
      provider: 'openai',
      input: '2.5',
      output: '10',
      unitPrices: [{ name: 'searches', price: '0.01' }],
    });
    expect((await save({ classes: ['searches'] })).classes).toEqual(['searches']);
  });

  it.each([
    [{ provider: 'nobody-knows-it' }, 'provider nobody-knows-it has no rate cards'],
    [{ amount: '0' }, 'amount must be above 0'],
    [{ amount: '0.0000000000000001' }, 'with up to 15 decimals'],
    [{ amount: '1000000000.01' }, 'at most 1000000000'],
    [{ currency: 'EUR' }, 'Enter the amount in USD'],
    [{ until: '2026-03-01' }, 'until must be after from'],
    [{ from: '2020-01-01' }, 'from must not be more than 1100 days ago'],
    [{ order: 0 }, 'order must be from 1'],
    [{ classes: ['Drop table'] }, 'classes contains Drop table'],
    [
      { classes: ['input', 'inputs'] },
      'classes contains inputs, which is neither a token class nor a unit on a rate card. Did you mean input?',
    ],
    [{ models: ['a*b'] }, 'must not contain *'],
    [{ id: '00000000-0000-4000-8000-000000000000' }, 'Unknown credit'],
  ])('is refused: %j', async (input, message) => {
    await expect(save(input)).rejects.toThrow(message);
    await expect(proposeProviderCredit(costing.operator, { ...welcome, ...input })).rejects.toThrow(message);
  });
});

it('verification finds a loss that was planted in the entries or in the costs they were computed from', async () => {
  await send([callOn('2026-03-02')]);
  await save();
  // Figures that are still being computed do not count as wrong.
  expect(await differences()).toEqual([]);
  await burn();
  expect(await differences()).toEqual([]);
  await costing.rows("delete from provider_credit_entry where cause = 'burn' returning 1");
  expect((await differences()).join()).toContain('2026-03-02 burn: 3.5 is missing');
  await costing.rows(`update provider_credit_day set costs = '[]' returning 1`);
  expect((await differences()).join()).toContain('2026-03-02: the ledger has 3.5, credits were computed with 0');
});
