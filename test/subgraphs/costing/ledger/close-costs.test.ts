import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import type { Job } from '#platform/job-loop.ts';
import type { PricedBatchBody } from '#schema/priced-feed.ts';
import { bookCostAdjustment } from '../../../../subgraphs/costing/adjustments/book-cost-adjustment.operation.ts';
import { getCostAdjustments } from '../../../../subgraphs/costing/adjustments/get-cost-adjustments.operation.ts';
import { listCostAdjustments } from '../../../../subgraphs/costing/adjustments/list-cost-adjustments.operation.ts';
import { revertCostAdjustment } from '../../../../subgraphs/costing/adjustments/revert-cost-adjustment.operation.ts';
import { sumCostAdjustments } from '../../../../subgraphs/costing/adjustments/sum-cost-adjustments.operation.ts';
import { computeCommitmentsJob } from '../../../../subgraphs/costing/commitments/compute-commitments.job.ts';
import { saveCommitment } from '../../../../subgraphs/costing/commitments/save-commitment.operation.ts';
import { allocateFixedCostsJob } from '../../../../subgraphs/costing/fixed-costs/allocate-fixed-costs.job.ts';
import { saveFixedCost } from '../../../../subgraphs/costing/fixed-costs/save-fixed-cost.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { getCostClosing } from '../../../../subgraphs/costing/ledger/get-cost-closing.operation.ts';
import { getLedgerCostsByEndUser } from '../../../../subgraphs/costing/ledger/get-ledger-costs-by-end-user.operation.ts';
import { listBookedCorrections } from '../../../../subgraphs/costing/ledger/list-booked-corrections.operation.ts';
import { reopenCosts } from '../../../../subgraphs/costing/ledger/reopen-costs.operation.ts';
import { getLedgerCost } from '../../../../subgraphs/costing/ledger/get-ledger-cost.operation.ts';
import { getLedgerCosts } from '../../../../subgraphs/costing/ledger/get-ledger-costs.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { burnProviderCreditsJob } from '../../../../subgraphs/costing/provider-credits/burn-provider-credits.job.ts';
import { saveProviderCredit } from '../../../../subgraphs/costing/provider-credits/save-provider-credit.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { call, type Costing, event, log, startCosting } from '../costing-builder.ts';
import { untilWaiting } from '../../../support/waiting-connections.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const JANUARY = parseWindow({ start: '2026-01-01', end: '2026-02-01' });
const FEBRUARY = parseWindow({ start: '2026-02-01', end: '2026-03-01' });
const at = (day: string) => ({ event_invoked_at: `${day}T10:30:00Z` });

const costOf = async (window: typeof JANUARY) => (await getLedgerCost(costing.operator, window)).toString();
const ledger = (window: typeof JANUARY, asOf: string | null = null) => getLedgerCosts(costing.operator, window, asOf);
const rate = (input: string) =>
  setRate(costing.operator, {
    model: 'acme-1',
    input,
    output: '0',
    effectiveFrom: '2025-01-01T00:00:00Z',
  });

async function expectVerified(): Promise<void> {
  expect((await verifyCosting(costing.operator)).flatMap(({ differences }) => differences)).toEqual([]);
}

describe('a closed month', () => {
  it('keeps its costs: a late event is booked in the first open month, with a reference to its own', async () => {
    await costing.send([event('one', { ...at('2026-01-10'), cost_override: '1' })]);
    await costing.settle();
    expect(await closeCosts(costing.operator, '2026-01')).toEqual({ closedUntil: '2026-02-01T00:00:00.000000Z' });
    await costing.send([
      event('late', { ...at('2026-01-20'), cost_override: '0.25' }),
      event('later', { ...at('2025-12-20'), cost_override: '0.5' }),
      event('open', { ...at('2026-02-10'), cost_override: '2' }),
    ]);
    await costing.settle();
    expect([await costOf(JANUARY), await costOf(FEBRUARY)]).toEqual(['1', '2.75']);
    expect(await ledger(JANUARY)).toMatchObject({ totalCost: '1', eventCount: 2, corrections: [] });
    expect(await ledger(FEBRUARY)).toMatchObject({
      totalCost: '2.75',
      eventCount: 1,
      corrections: [
        { month: '2025-12', totalCost: '0.5', entryCount: 1 },
        { month: '2026-01', totalCost: '0.25', entryCount: 1 },
      ],
    });
    const bookedAt = new Date('2026-02-01T00:00:00Z');
    const year = parseWindow({ start: '2026-01-01', end: '2027-01-01' });
    expect(await listBookedCorrections(costing.operator, year)).toEqual([
      { bookedAt, month: '2025-12', totalCost: '0.5', entryCount: 1 },
      { bookedAt, month: '2026-01', totalCost: '0.25', entryCount: 1 },
    ]);
    expect(await listBookedCorrections(costing.operator, JANUARY)).toEqual([]);
    for (const [start, end] of [
      ['2026-01-10T10:15:00Z', '2026-01-20T10:45:00Z'],
      ['2026-01-31T23:30:00Z', '2026-02-01T00:00:00Z'],
      ['2026-01-31T23:30:00Z', '2026-02-01T00:30:00Z'],
    ] as const) {
      const window = parseWindow({ start, end });
      expect(await costOf(window)).toBe((await ledger(window)).totalCost);
    }
    const bodies = await costing.rows<{ body: PricedBatchBody }>('select body from priced_batch order by number');
    const times = bodies.flatMap(({ body }) => body.facts.map((fact) => fact.eventTime));
    expect(times.toSorted()).toEqual([
      '2025-12-20T10:30:00.000000Z',
      '2026-01-10T10:30:00.000000Z',
      '2026-01-20T10:30:00.000000Z',
      '2026-02-01T00:00:00.000000Z',
      '2026-02-01T00:00:00.000000Z',
      '2026-02-10T10:30:00.000000Z',
    ]);
    await expectVerified();
  });

  it('keeps its costs through a repricing and its revert, which are booked later', async () => {
    await rate('1');
    await costing.send([call({ ...at('2026-01-10'), input_tokens: 1_000_000 })]);
    await costing.settle();
    await closeCosts(costing.operator, '2026-01');
    await rate('3');
    const { repricingId } = await reprice(costing.operator, { start: '2026-01-01', end: '2026-02-01', dryRun: false });
    expect([await costOf(JANUARY), await costOf(FEBRUARY)]).toEqual(['1', '2']);
    expect(await ledger(FEBRUARY)).toMatchObject({
      eventCount: 0,
      corrections: [{ month: '2026-01', totalCost: '2', entryCount: 1 }],
    });
    await closeCosts(costing.operator, '2026-02');
    await revertRepricing(costing.operator, repricingId!);
    const march = parseWindow({ start: '2026-03-01', end: '2026-04-01' });
    expect([await costOf(JANUARY), await costOf(FEBRUARY), await costOf(march)]).toEqual(['1', '2', '-2']);
    await expectVerified();
  });

  const openAi = { provider: 'openai', name: 'Terms', amount: '100', currency: 'USD', from: '2026-01-01' };
  const run = async (jobOf: (dependencies: Pick<Costing, 'database'> & { log: typeof log }) => Job) => {
    const job = jobOf({ database: costing.database, log });
    while ((await job.step()) === 'more');
  };
  const day = {
    from: '2026-01-10',
    until: '2026-01-11',
    amount: '1',
    currency: 'USD',
    per: 'DAY',
    quantity: '1',
  } as const;
  it.each([
    ['costs', 'cost_entry', () => costing.send([event('late', at('2026-01-11'))]), () => costing.settle()],
    [
      'adjustments',
      'cost_adjustment',
      async () => {},
      () =>
        bookCostAdjustment(costing.operator, { day: '2026-01-10', provider: 'openai', amount: '1', note: 'Storage' }),
    ],
    [
      'fixed costs',
      'allocation_entry',
      () =>
        saveFixedCost(costing.operator, {
          key: 'seats',
          name: 'Seats',
          driver: 'NONE',
          replacesModelCost: false,
          periods: [day],
        }),
      () => run(allocateFixedCostsJob),
    ],
    [
      'commitments',
      'commitment_entry',
      () => saveCommitment(costing.operator, { ...openAi, period: 'MONTH', until: '2026-02-01' }),
      () => run(computeCommitmentsJob),
    ],
    [
      'credits',
      'provider_credit_entry',
      () => saveProviderCredit(costing.operator, { ...openAi, kind: 'CREDIT' }),
      () => run(burnProviderCreditsJob),
    ],
  ])('is closed only after %s that are in progress have been booked', async (_, table, save, book) => {
    await setRate(costing.global, { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10' });
    await costing.send([call({ ...at('2026-01-10'), model: 'gpt-4o', provider: 'openai' })]);
    await costing.settle();
    await save();
    const waiting = (count: number) => untilWaiting((text) => costing.rows(text), count);
    await withClient(costing.database.target, async (client) => {
      await client.query('begin');
      await client.query(`lock table ${table} in share mode`);
      const booking = book();
      await waiting(1);
      const closing = closeCosts(costing.operator, '2026-01').then(() => 'is closed');
      expect(await Promise.race([closing, waiting(2).then(() => 'waits')])).toBe('waits');
      await client.query('commit');
      await Promise.all([booking, closing]);
    });
  });

  it('can be reopened; only past months can be closed, with a note in the log', async () => {
    await closeCosts(costing.operator, '2026-02');
    await closeCosts(costing.operator, '2026-01');
    expect(await getCostClosing(costing.operator)).toEqual({ closedUntil: '2026-03-01T00:00:00.000000Z' });
    expect(await reopenCosts(costing.operator, '2026-02')).toEqual({ closedUntil: '2026-02-01T00:00:00.000000Z' });
    await costing.send([event('again', { ...at('2026-02-10'), cost_override: '2' })]);
    await costing.settle();
    expect(await costOf(FEBRUARY)).toBe('2');
    for (const through of ['2099-01', '2026-13', 'soon'])
      await expect(closeCosts(costing.operator, through)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await costing.rows('select act, detail from audit_record order by id')).toEqual([
      { act: 'month.closed', detail: '2026-02' },
      { act: 'month.reopened', detail: '2026-02' },
    ]);
    expect(await getCostClosing(costing.stranger)).toEqual({ closedUntil: null });
  });
});

it('a month can be closed from the first instant of the next one', async () => {
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const end = Date.parse('2026-03-01T00:00:00Z');
  vi.useFakeTimers({ toFake: ['Date'], now: end - 1 });
  await expect(closeCosts(costing.operator, '2026-02')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  vi.setSystemTime(end);
  expect(await closeCosts(costing.operator, '2026-02')).toEqual({ closedUntil: '2026-03-01T00:00:00.000000Z' });
});

describe('the ledger as of an instant', () => {
  it('contains the entries written until then', async () => {
    await rate('1');
    await costing.send([call({ ...at('2026-01-10'), input_tokens: 1_000_000 })]);
    await costing.settle();
    const before = new Date().toISOString();
    await rate('3');
    await reprice(costing.operator, { start: '2026-01-01', end: '2026-02-01', dryRun: false });
    expect([(await ledger(JANUARY, before)).totalCost, (await ledger(JANUARY)).totalCost]).toEqual(['1', '3']);
    expect((await ledger(JANUARY, '2020-01-01T00:00:00Z')).models).toEqual([]);
    expect((await ledger(JANUARY)).providers).toEqual([{ providerSlug: 'unknown', totalCost: '3', eventCount: 1 }]);
    await costing.send([call({ ...at('2026-01-11'), input_tokens: 2_000_000, user_id: 'ada' })]);
    await costing.settle();
    const byEndUser = (asOf: string | null, first = 100) =>
      getLedgerCostsByEndUser(costing.operator, JANUARY, { asOf, first });
    const ofNobody = (totalCost: string, eventCount: number) => ({ externalId: null, totalCost, eventCount });
    expect(await byEndUser(null)).toEqual({
      items: [{ externalId: 'ada', totalCost: '6', eventCount: 1 }],
      unassigned: ofNobody('3', 1),
      totalCost: '9',
      totalEndUsers: 1,
    });
    expect(await byEndUser(before)).toEqual({
      items: [],
      unassigned: ofNobody('1', 1),
      totalCost: '1',
      totalEndUsers: 0,
    });
    await expect(byEndUser(null, 0)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(ledger(JANUARY, '2999-01-01T00:00:00Z')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('an adjustment is booked on its day, or on the first open day if that day is closed', async () => {
  const book = (day: string, amount: string) =>
    bookCostAdjustment(costing.operator, { day, provider: 'openai', amount, note: 'Storage' });
  expect((await book('2026-01-10', '1')).bookedDay).toBe('2026-01-10');
  await closeCosts(costing.operator, '2026-01');
  expect((await book('2026-01-31', '2')).bookedDay).toBe('2026-02-01');
  expect((await book('2026-02-01', '4')).bookedDay).toBe('2026-02-01');
  expect((await book('2026-02-28', '8')).bookedDay).toBe('2026-02-28');
  const list = await listCostAdjustments(costing.operator, FEBRUARY, { first: 1 });
  expect([String(list.totalAmount), list.totalCount, list.pageInfo.hasNextPage]).toEqual(['14', 3, true]);
});

it('an adjustment is reverted once, by its organization, and on the first open day if its own is closed', async () => {
  const book = (day: string, amount: string) =>
    bookCostAdjustment(costing.operator, { day, provider: 'openai', model: 'gpt-4o', amount, note: 'Storage' });
  const [one, other] = [await book('2026-01-10', '1.5'), await book('2026-02-10', '-4')];
  await closeCosts(costing.operator, '2026-01');
  const revert = (id: string, context = costing.operator) => revertCostAdjustment(context, id);
  await expect(revert(one.id, costing.stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await revert(one.id)).toMatchObject({ id: one.id, amount: '1.5', isReverted: true });
  const { nodes, totalAmount } = await listCostAdjustments(costing.operator, FEBRUARY, { first: 10 });
  expect([totalAmount, ...nodes.map(({ day, bookedDay, amount }) => [day, bookedDay, amount])]).toEqual([
    '-5.5',
    ['2026-02-10', '2026-02-10', '-4'],
    ['2026-01-10', '2026-02-01', '-1.5'],
  ]);
  expect(nodes[1]).toMatchObject({ provider: 'openai', model: 'gpt-4o', reversesId: one.id, isReverted: false });
  expect([
    await sumCostAdjustments(costing.operator, JANUARY),
    await sumCostAdjustments(costing.operator, FEBRUARY),
  ]).toEqual(['1.5', '-5.5']);
  for (const id of [one.id, nodes[1]!.id, 'not-an-id', '00000000-0000-4000-8000-000000000000'])
    await expect(revert(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const ids = [one.id, other.id];
  expect((await getCostAdjustments(costing.operator, ids)).map(({ isReverted }) => isReverted).toSorted()).toEqual([
    false,
    true,
  ]);
  expect(await getCostAdjustments(costing.stranger, ids)).toEqual([]);
  expect(
    await costing.rows("select subject_id as id from audit_record where act = 'cost_adjustment.reverted'"),
  ).toEqual([{ id: one.id }]);
});
