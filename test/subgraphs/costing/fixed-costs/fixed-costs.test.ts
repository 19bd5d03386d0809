/** Fixed costs in a database: allocation, revisions, closed months, erasure, and what verification finds. */
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import { plain } from '#kernel/money.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import type { Log } from '#platform/log.ts';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { eraseEndUser } from '../../../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { saveAgreement } from '../../../../subgraphs/costing/agreements/save-agreement.operation.ts';
import { allocateOpenDay } from '../../../../subgraphs/costing/fixed-costs/allocate-days.step.ts';
import { allocateFixedCostsJob } from '../../../../subgraphs/costing/fixed-costs/allocate-fixed-costs.job.ts';
import { endFixedCost } from '../../../../subgraphs/costing/fixed-costs/end-fixed-cost.operation.ts';
import { eraseEndUserAllocations } from '../../../../subgraphs/costing/fixed-costs/erase-end-user-allocations.step.ts';
import { exportAllocatedLines } from '../../../../subgraphs/costing/fixed-costs/export-allocated-lines.operation.ts';
import { getEndUserAllocatedCost } from '../../../../subgraphs/costing/fixed-costs/get-end-user-allocated-cost.operation.ts';
import { getEffectivePrice } from '../../../../subgraphs/costing/fixed-costs/get-effective-price.operation.ts';
import { getFixedCost } from '../../../../subgraphs/costing/fixed-costs/get-fixed-cost.operation.ts';
import { getUtilisation } from '../../../../subgraphs/costing/fixed-costs/get-utilisation.operation.ts';
import { listAllocatedCosts } from '../../../../subgraphs/costing/fixed-costs/list-allocated-costs.operation.ts';
import { listFixedCosts } from '../../../../subgraphs/costing/fixed-costs/list-fixed-costs.operation.ts';
import { previewFixedCost } from '../../../../subgraphs/costing/fixed-costs/preview-fixed-cost.operation.ts';
import { saveFixedCost } from '../../../../subgraphs/costing/fixed-costs/save-fixed-cost.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import type { FixedCostSaveInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';
import { runs } from '../../../support/property-runs.ts';
import { type Costing, event, log, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

/** Three days of one hundred USD each. */
const seats: FixedCostSaveInput = {
  key: 'seats',
  name: 'Seats',
  driver: 'EVENTS',
  replacesModelCost: false,
  periods: [{ from: '2026-03-01', until: '2026-03-04', amount: '100', currency: 'USD', per: 'DAY', quantity: '1' }],
};
const march = parseWindow({ start: '2026-03-01', end: '2026-04-01' });
const at = (day: string, user: string | null, more: object = {}) =>
  event(`${day}-${user}-${++sent}`, { event_invoked_at: `${day}T12:00:00Z`, ...(user && { user_id: user }), ...more });
let sent = 0;

const send = async (events: readonly object[], context = costing.live) => {
  await costing.send(events, context);
  await costing.settle();
};
const allocate = async (to: Log = log) => {
  const job = allocateFixedCostsJob({ database: costing.database, log: to });
  while ((await job.step()) === 'more');
};
/** A day that was allocated is computed again after an hour at the earliest. */
const allocateAnHourLater = async () => {
  await costing.rows("update allocation_day set allocated_at = now() - interval '61 minutes'");
  await allocate();
};
const save = (more: Partial<FixedCostSaveInput> = {}) => saveFixedCost(costing.operator, { ...seats, ...more });
type Page = Awaited<ReturnType<typeof listAllocatedCosts>>;
const sumsOf = ({ total, allocated, unassigned, idle, unallocated }: Page) => ({
  total,
  allocated,
  unassigned,
  idle,
  unallocated,
});
const allocated = async (window = march, groupBy: 'END_USER' | 'DAY' | 'FIXED_COST' = 'END_USER') => {
  const page = await listAllocatedCosts(costing.operator, window, { groupBy, first: 100 });
  const named = page.nodes.map((line) => [
    line.endUser?.externalId ?? line.day ?? line.fixedCost?.key ?? '',
    plain(line.total),
  ]);
  return {
    ...Object.fromEntries(Object.entries(sumsOf(page)).map(([name, value]) => [name, plain(value)])),
    lines: Object.fromEntries(named) as Record<string, string>,
  };
};
const WAITING =
  'select distinct pid from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted';
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);
const entryCount = async () =>
  (await costing.rows<{ n: number }>('select count(*)::int as n from allocation_entry'))[0]!.n;

describe('a fixed cost', () => {
  it('is allocated day by day to those who used it; a day without use stays with the organization', async () => {
    await send([
      at('2026-03-01', 'ann'),
      at('2026-03-01', 'ann'),
      at('2026-03-01', 'ann'),
      at('2026-03-01', 'bob'),
      at('2026-03-02', 'bob'),
      at('2026-03-02', null),
      // Outside of the days on which the fixed cost is paid.
      at('2026-03-04', 'eve'),
    ]);
    // Test events are not allocated anything.
    await send([at('2026-03-03', 'eve')], costing.test);
    await save();
    await allocate();
    expect(await allocated()).toEqual({
      total: '300',
      allocated: '150',
      unassigned: '50',
      idle: '0',
      unallocated: '100',
      lines: { ann: '75', bob: '75' },
    });
    expect((await allocated(march, 'DAY')).lines).toEqual({
      '2026-03-01': '100',
      '2026-03-02': '100',
      '2026-03-03': '100',
    });
    expect((await allocated(march, 'FIXED_COST')).lines).toEqual({ seats: '300' });
    expect(plain(await getEndUserAllocatedCost(costing.operator, 'bob', march))).toBe('75');
    expect(await differences()).toEqual([]);
  });

  it('changes by a visible difference when late events arrive, and not at all when nothing changed', async () => {
    await send([at('2026-03-01', 'ann')]);
    await save();
    await allocate();
    const before = await entryCount();
    await allocate();
    expect(await entryCount()).toBe(before);
    await send([at('2026-03-01', 'bob'), at('2026-03-03', 'bob')]);
    await allocate();
    expect(await entryCount()).toBe(before);
    await allocateAnHourLater();
    expect((await allocated()).lines).toEqual({ ann: '50', bob: '150' });
    const first = await costing.rows(
      `select external_id as "externalId", revision, trim_scale(amount)::text as amount from allocation_entry
       where day = '2026-03-01' and carrier = 'end_user' order by revision, external_id`,
    );
    expect(first).toEqual([
      { externalId: 'ann', revision: 1, amount: '100' },
      { externalId: 'ann', revision: 2, amount: '-50' },
      { externalId: 'bob', revision: 2, amount: '50' },
    ]);
    expect(await differences()).toEqual([]);
  });

  it('books differences of a closed month on the first open day', async () => {
    await send([at('2026-03-01', 'ann')]);
    await save();
    await allocate();
    await closeCosts(costing.operator, '2026-03');
    await send([at('2026-03-01', 'bob')]);
    await allocateAnHourLater();
    expect((await allocated()).lines).toEqual({ ann: '100' });
    const april = parseWindow({ start: '2026-04-01', end: '2026-05-01' });
    expect(await allocated(april)).toMatchObject({ total: '0', lines: { ann: '-50', bob: '50' } });
    const ofBob = (window: typeof april) => getEndUserAllocatedCost(costing.operator, 'bob', window);
    expect([await ofBob(march), await ofBob(april)].map(plain)).toEqual(['0', '50']);
    expect(await differences()).toEqual([]);
  });

  it('a fixed cost that is divided by costs follows a repricing', async () => {
    const model = { model: 'acme-1', cost_override: undefined, output_tokens: 0, input_tokens: 1_000_000 };
    await setRate(costing.operator, {
      model: 'acme-1',
      input: '1',
      output: '1',
      effectiveFrom: '2020-01-01T00:00:00Z',
    });
    await send([at('2026-03-01', 'ann', model), at('2026-03-01', 'bob', { cost_override: '3' })]);
    await save({ driver: 'COST' });
    await allocate();
    expect((await allocated()).lines).toEqual({ ann: '25', bob: '75' });
    await setRate(costing.operator, {
      model: 'acme-1',
      input: '9',
      output: '1',
      effectiveFrom: '2020-01-01T00:00:00Z',
    });
    await reprice(costing.operator, { start: '2026-03-01', end: '2026-03-02', dryRun: false });
    await allocateAnHourLater();
    expect((await allocated()).lines).toEqual({ ann: '75', bob: '25' });
  });

  it.each<[string, Partial<FixedCostSaveInput>, string, Record<string, string>]>([
    ['by events', { driver: 'EVENTS' }, '4', { ann: '75', bob: '25' }],
    ['by the units of events', { driver: 'UNITS' }, '5', { ann: '40', bob: '60' }],
    ['by a named unit', { driver: 'UNITS', unit: 'web_searches' }, '5', { ann: '80', bob: '20' }],
    [
      'by tokens, where reasoning counts like output',
      { driver: 'TOKENS', weights: [{ class: 'output', weight: '0' }] },
      '200',
      { ann: '50', bob: '50' },
    ],
  ])('%s keeps its shares after a repricing, beside another fixed cost', async (_, terms, used, lines) => {
    const rate = (input: string, price: string) =>
      setRate(costing.operator, {
        ...{ model: 'acme-1', input, output: '1', effectiveFrom: '2020-01-01T00:00:00Z' },
        unitPrices: [
          { name: 'web_searches', price },
          { name: 'pages', price },
        ],
      });
    await rate('1', '1');
    const use = (user: string, more: object, metadata: object = {}) =>
      at('2026-03-01', user, {
        ...{ model: 'acme-1', cost_override: undefined, input_tokens: 0, output_tokens: 10, ...more },
        metadata,
      });
    await send([
      // The price of this one does not change.
      use('ann', { units: '2' }),
      use('ann', { input_tokens: 100, reasoning_tokens: 4 }),
      use('ann', {}, { web_searches: 4 }),
      use('bob', { units: '3', input_tokens: 100 }, { web_searches: 1, pages: 9 }),
    ]);
    await save({ key: 'by-cost', name: 'By cost', driver: 'COST' });
    await save(terms);
    await allocate();
    await rate('2', '3');
    const first = { start: '2026-03-01', end: '2026-03-02' };
    const { repricingId } = await reprice(costing.operator, { ...first, dryRun: false });
    await allocateAnHourLater();
    await revertRepricing(costing.operator, repricingId!);
    await allocateAnHourLater();
    const page = await listAllocatedCosts(costing.operator, march, {
      groupBy: 'END_USER',
      fixedCost: 'seats',
      first: 9,
    });
    expect(Object.fromEntries(page.nodes.map((line) => [line.externalId, plain(line.total)]))).toEqual(lines);
    expect(plain(page.total)).toBe('300');
    const saved = (await getFixedCost(costing.operator, 'seats'))!;
    expect(plain((await getUtilisation(costing.operator, saved, parseWindow(first))).usedMeasure!)).toBe(used);
    expect(await differences()).toEqual([]);
  });

  it('reverts what was allocated when it ends earlier, and is allocated again with new terms', async () => {
    await send([at('2026-03-01', 'ann'), at('2026-03-02', 'bob')]);
    await save();
    await allocate();
    await save({ driver: 'SHARES', shares: [{ endUser: 'eve', percent: '10' }] });
    await allocate();
    expect(await allocated()).toMatchObject({ total: '300', unallocated: '270', lines: { eve: '30' } });
    await endFixedCost(costing.operator, { key: 'seats', until: '2026-03-02' });
    await allocate();
    expect(await allocated()).toMatchObject({ total: '100', lines: { eve: '10' } });
    await endFixedCost(costing.operator, { key: 'seats', until: '2026-03-01' });
    await allocate();
    expect(await allocated()).toMatchObject({ total: '0', lines: {} });
    expect(await differences()).toEqual([]);
    const log = await listAuditRecords(costing.operator, { first: 10 });
    expect(log.nodes.map(({ action }) => action)).toEqual([
      'fixed_cost.ended',
      'fixed_cost.ended',
      'fixed_cost.changed',
      'fixed_cost.created',
    ]);
  });

  it('serves only the models, end users and attribution keys of its scope', async () => {
    const scope = {
      models: ['gpt-*', 'claude-x'],
      endUsers: ['ann', 'bob'],
      dimensions: [{ key: 'feature', values: ['chat'] }],
    };
    const chat = { model: 'gpt-4', metadata: { feature: 'chat' } };
    await send([
      at('2026-03-01', 'ann', chat),
      at('2026-03-01', 'bob', { ...chat, model: 'claude-x' }),
      at('2026-03-01', 'bob', { ...chat, model: 'claude-xy' }),
      at('2026-03-01', 'eve', chat),
      at('2026-03-01', 'bob', { ...chat, metadata: { feature: 'search' } }),
      at('2026-03-01', 'bob', { model: 'gpt-4' }),
    ]);
    await save({ scope });
    await allocate();
    expect((await allocated()).lines).toEqual({ ann: '50', bob: '50' });
  });

  it('moves to the pseudonym of an erased end user, even if a late event causes a new allocation', async () => {
    await send([at('2026-03-01', 'ann'), at('2026-03-01', 'bob')]);
    await save({ scope: { endUsers: ['ann', 'bob'] } });
    await allocate();
    await eraseEndUser(costing.operator, { externalId: 'ann', keepDimensions: [], limit: 100 });
    const pseudonym = Object.keys((await allocated()).lines).find((name) => name.startsWith('erased-'))!;
    expect((await allocated()).lines).toEqual({ [pseudonym]: '50', bob: '50' });
    await send([at('2026-03-01', 'bob'), at('2026-03-01', 'bob')]);
    await allocateAnHourLater();
    expect((await allocated()).lines).toEqual({ [pseudonym]: '25', bob: '75' });
    expect(await costing.rows("select 1 from fixed_cost where scope::text like '%ann%'")).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('keeps the share of an erased end user under its pseudonym', async () => {
    await send([at('2026-03-01', 'ann')]);
    const shares = [
      { endUser: 'ann', percent: '60' },
      { endUser: 'bob', percent: '40' },
    ];
    await save({ driver: 'SHARES', shares });
    await allocate();
    await eraseEndUser(costing.operator, { externalId: 'ann', keepDimensions: [], limit: 100 });
    await costing.rows("update allocation_day set allocated_at = '2020-01-01', terms_revision = 0");
    await allocate();
    const { lines } = await allocated();
    expect(
      Object.entries(lines)
        .map(([name, share]) => [name.replace(/^erased-.*/, 'erased'), share])
        .toSorted(),
    ).toEqual([
      ['bob', '120'],
      ['erased', '180'],
    ]);
    expect(await costing.rows("select 1 from fixed_cost where shares::text like '%ann%'")).toEqual([]);
  });

  it('adds the shares of an erased end user to those that its pseudonym already has', async () => {
    await send([
      at('2026-03-01', 'ann'),
      at('2026-03-01', 'erased-1'),
      at('2026-03-01', 'bob'),
      at('2026-03-01', 'bob'),
    ]);
    await save();
    await allocate();
    const { database, organizationId } = costing;
    const sums = () =>
      costing.rows(`select external_id, trim_scale(sum(measure))::text as measure, trim_scale(sum(replaced_cost))::text as replaced
        from allocation_entry where external_id <> '' group by 1 order by 1`);
    await costing.rows('update allocation_entry set replaced_cost = measure / 10 returning 1');
    expect(await sums()).toEqual([
      { externalId: 'ann', measure: '1', replaced: '0.1' },
      { externalId: 'bob', measure: '2', replaced: '0.2' },
      { externalId: 'erased-1', measure: '1', replaced: '0.1' },
    ]);
    await database.system((tx) => eraseEndUserAllocations(tx, organizationId, 'ann', 'erased-1'));
    expect((await allocated()).lines).toEqual({ 'erased-1': '50', bob: '50' });
    expect(await sums()).toEqual([
      { externalId: 'bob', measure: '2', replaced: '0.2' },
      { externalId: 'erased-1', measure: '2', replaced: '0.2' },
    ]);
  });

  it.skipIf(isOnNodes())('is not allocated to an end user who is erased while the use of a day is read', async () => {
    await send([at('2026-03-01', 'ann'), at('2026-03-01', 'bob')]);
    await save();
    const [fixedCost] = await costing.rows<{ id: string }>('select id from fixed_cost');
    const { database, organizationId } = costing;
    const { allocated: done } = await database.system(async (tx) => {
      await lockOrganization(tx, 'allocations', organizationId);
      const allocated = allocateOpenDay(database, organizationId, { fixedCostId: fixedCost!.id, day: '2026-03-01' });
      // The allocation has read the use of the day, and waits to store its shares.
      await vi.waitFor(async () => expect(await costing.rows(WAITING)).toHaveLength(1), { timeout: 10_000 });
      await eraseEndUserAllocations(tx, organizationId, 'ann', 'erased-1');
      return { allocated };
    });
    await done;
    expect(await costing.rows('select external_id from allocation_entry')).toEqual([]);
  });

  it('says which days of a window have not been allocated', async () => {
    const unallocated = async (window = march) =>
      (await exportAllocatedLines(costing.operator, window)).unallocatedDays;
    expect(await unallocated()).toBeNull();
    await save();
    expect(await unallocated()).toEqual({ firstDay: '2026-03-01', days: 3 });
    await save({ key: 'support', name: 'Support' });
    expect(await unallocated()).toEqual({ firstDay: '2026-03-01', days: 3 });
    expect(await unallocated(parseWindow({ start: '2026-03-03', end: '2026-05-01' }))).toEqual({
      firstDay: '2026-03-03',
      days: 1,
    });
    await allocate();
    expect(await unallocated()).toBeNull();
    // Removes the day of one fixed cost and keeps that of the other.
    await costing.rows(
      "delete from allocation_day where day = '2026-03-02' and fixed_cost_id = (select id from fixed_cost where key = 'support')",
    );
    expect(await unallocated()).toEqual({ firstDay: '2026-03-02', days: 1 });
    await allocate();
    // Today is not over, and later days have no revenue yet.
    const today = new Date().toISOString().slice(0, 10);
    await save({ periods: [{ ...seats.periods[0]!, from: today, until: null }] });
    const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();
    expect(await unallocated(parseWindow({ start: today, end: nextMonth }))).toEqual({ firstDay: today, days: 1 });
  });

  it('has a preview that stores nothing and equals the later allocation', async () => {
    await send([at('2026-03-01', 'ann'), at('2026-03-01', 'bob'), at('2026-03-02', 'bob'), at('2026-03-03', null)]);
    const preview = await previewFixedCost(costing.operator, { ...seats, capacityPerDay: '4' }, march, 100);
    expect(await listFixedCosts(costing.operator)).toEqual([]);
    await save({ capacityPerDay: '4' });
    await allocate();
    const { lines, ...sums } = await allocated();
    const { endUsers, endUserCount, usedMeasure, replacedCost: _, ...previewed } = preview;
    expect(Object.fromEntries(Object.entries(previewed).map(([name, value]) => [name, plain(value)]))).toEqual(sums);
    expect(Object.fromEntries(endUsers.map((line) => [line.endUser.externalId, plain(line.amount)]))).toEqual(lines);
    expect({ endUserCount, used: plain(usedMeasure!) }).toEqual({ endUserCount: 2, used: '4' });
    expect(sums).toEqual({ total: '300', allocated: '75', unassigned: '25', idle: '200', unallocated: '0' });
  });

  it('is previewed for whole days in the past, and names the end users with the largest shares', async () => {
    const dayAt = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await send([
      at(dayAt(2), 'ann'),
      at(dayAt(2), 'bob'),
      at(dayAt(2), 'bob'),
      at(dayAt(1), 'eve'),
      at(dayAt(1), 'eve'),
    ]);
    const preview = (first: number, ahead: number) =>
      previewFixedCost(
        costing.operator,
        { ...seats, periods: [{ ...seats.periods[0]!, from: dayAt(9), until: null }] },
        parseWindow({ start: dayAt(2), end: dayAt(-ahead) }),
        first,
      );
    const { total, endUsers, endUserCount } = await preview(2, 3);
    expect([plain(total), endUserCount]).toEqual(['200', 3]);
    expect(endUsers.map((line) => [line.endUser.externalId, plain(line.amount).slice(0, 5)])).toEqual([
      ['eve', '100'],
      ['bob', '66.66'],
    ]);
  });

  it('is allocated to a day two hours after it has ended', async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    await save({ periods: [{ ...seats.periods[0]!, from: day(Date.now() - 4 * 86_400_000), until: null }] });
    const last = day(Date.now() - 26 * 3_600_000);
    await allocate();
    expect(await costing.rows('select max(day)::text as last from allocation_day')).toEqual([{ last }]);
  });

  it('is allocated to many days at once', async () => {
    await save({ periods: [{ ...seats.periods[0]!, from: '2025-08-14' }] });
    await save({ key: 'support', name: 'Support' });
    await allocate();
    expect(
      await costing.rows(
        'select count(*)::int as n, min(day)::text as first, max(day)::text as last from allocation_day',
      ),
    ).toEqual([{ n: 205, first: '2025-08-14', last: '2026-03-03' }]);
  });

  it('a fixed cost that cannot be allocated delays no other, and is logged once', async () => {
    await save();
    await save({ key: 'broken', name: 'Broken' });
    await costing.rows(
      "update fixed_cost_period set amount = 1e14, quantity = 1e3 where fixed_cost_id = (select id from fixed_cost where key = 'broken')",
    );
    const { operator } = await startCosting(costing.database);
    await saveFixedCost(operator, seats);
    const lines: string[] = [];
    const job = allocateFixedCostsJob({
      database: costing.database,
      log: pino({}, { write: (line) => lines.push(line) }),
    });
    const round = async () => {
      while ((await job.step()) === 'more');
    };
    await round();
    expect((await allocated(march, 'FIXED_COST')).lines).toEqual({ seats: '300' });
    const other = await listAllocatedCosts(operator, march, { groupBy: 'DAY', first: 10 });
    expect(plain(other.total)).toBe('300');
    expect(lines).toEqual([expect.stringContaining('could not be allocated')]);
    await costing.rows('update fixed_cost_period set amount = 1, quantity = 1 where amount = 1e14');
    await round();
    expect((await allocated(march, 'FIXED_COST')).lines).toEqual({ seats: '300', broken: '3' });
  });

  it('counts towards the limit until it ends', async () => {
    const running = [{ ...seats.periods[0]!, until: null }];
    for (let n = 0; n < 100; n += 1) await save({ key: `running-${n}`, periods: running });
    await expect(save({ periods: running })).rejects.toThrow(
      'The limit of 100 fixed costs that have not ended is reached',
    );
    await save({ key: 'running-0', periods: running });
    // The last day was yesterday.
    await endFixedCost(costing.operator, { key: 'running-0', until: new Date().toISOString().slice(0, 10) });
    await save({ periods: running });
    await expect(save({ key: 'running-0', periods: running })).rejects.toThrow('The limit of 100 fixed costs');
  });

  it('a fixed cost of one organization is not seen by another', async () => {
    await save();
    expect(await listFixedCosts(costing.stranger)).toEqual([]);
    expect(await getFixedCost(costing.stranger, 'seats')).toBeNull();
    await expect(endFixedCost(costing.stranger, { key: 'seats', until: '2026-03-02' })).rejects.toThrow(
      'Unknown fixed cost',
    );
  });

  it('a fixed cost that has lost an entry is found by verification', async () => {
    await send([at('2026-03-01', 'ann')]);
    await save();
    await allocate();
    await costing.rows("delete from allocation_entry where external_id = 'ann'");
    expect(await differences()).toEqual([
      expect.stringMatching(
        /2026-03-01: 100\.0* to allocate, 0 allocated; 0\.0* idle, 0 booked as idle; 0\.0* replaced, 0 booked as replaced$/,
      ),
    ]);
  });

  it.each([
    ['the amount of a day', 'update allocation_day set amount = amount + 1'],
    ['the used part of a day', 'update allocation_day set used = used + 1'],
    ['the idle part of a day', 'update allocation_day set idle = idle + 1'],
    ['the revision of a day', 'update allocation_entry set revision = revision + 1'],
  ])('a fixed cost with a wrong sum is found by verification: %s', async (_, tamper) => {
    await send([at('2026-03-01', 'ann')]);
    await save({ capacityPerDay: '4', periods: [{ ...seats.periods[0]!, until: '2026-03-02' }] });
    await allocate();
    expect(await differences()).toEqual([]);
    await costing.rows(tamper);
    expect(await differences()).toHaveLength(1);
  });

  it.each<[string, Partial<FixedCostSaveInput>]>([
    ['key must have', { key: 'Seats!' }],
    ['name must have', { name: ' ' }],
    ['periods must contain at least one', { periods: [] }],
    ['cannot be converted yet. Enter the amount in USD', { periods: [{ ...seats.periods[0]!, currency: 'EUR' }] }],
    ['until must be after from', { periods: [{ ...seats.periods[0]!, until: '2026-03-01' }] }],
    ['requires until', { periods: [{ ...seats.periods[0]!, per: 'PERIOD', until: null }] }],
    ['overlaps the one from', { periods: [seats.periods[0]!, { ...seats.periods[0]!, from: '2026-03-03' }] }],
    ['not be more than 1100 days ago', { periods: [{ ...seats.periods[0]!, from: '2019-01-01' }] }],
    [
      'must be at most 1000000000 USD per day',
      { periods: [{ ...seats.periods[0]!, amount: '1000000000', per: 'HOUR', quantity: '1000000' }] },
    ],
    ['a*b must not contain * except at the end', { scope: { models: ['a*b'] } }],
    ['amount must be above 0', { periods: [{ ...seats.periods[0]!, amount: '0' }] }],
    ['unknown token class', { driver: 'TOKENS', weights: [{ class: 'words', weight: '1' }] }],
    [
      'weights contains input more than once',
      {
        driver: 'TOKENS',
        weights: [
          { class: 'input', weight: '1' },
          { class: 'input', weight: '2' },
        ],
      },
    ],
    ['a weight must be from 0 to 1000000', { driver: 'TOKENS', weights: [{ class: 'input', weight: '-1' }] }],
    [
      'dimensions must not contain a key more than once',
      {
        scope: {
          dimensions: [
            { key: 'feature', values: ['a'] },
            { key: 'feature', values: ['b'] },
          ],
        },
      },
    ],
    ['feature has no values', { scope: { dimensions: [{ key: 'feature', values: [] }] } }],
    ['capacityPerDay must be above 0', { capacityPerDay: '0' }],
    ['unit is only for the driver UNITS', { unit: 'web_searches' }],
    ['shares are only for the driver SHARES', { shares: [{ endUser: 'a', percent: '1' }] }],
    [
      'shares must not contain an end user more than once',
      {
        driver: 'SHARES',
        shares: [
          { endUser: 'a', percent: '1' },
          { endUser: 'a', percent: '2' },
        ],
      },
    ],
    ['weights are only for', { weights: [{ class: 'input', weight: '1' }] }],
    ['capacityPerDay is only for', { driver: 'EQUAL', capacityPerDay: '1' }],
    ['unknown dimension team', { scope: { dimensions: [{ key: 'team', values: ['a'] }] } }],
    ['requires at least one share', { driver: 'SHARES' }],
    [
      'more than 100 percent',
      {
        driver: 'SHARES',
        shares: [
          { endUser: 'a', percent: '60' },
          { endUser: 'b', percent: '41' },
        ],
      },
    ],
  ])('is refused: %s', async (message, more) => {
    await expect(save(more)).rejects.toThrow(message);
  });
});

describe('provisioned throughput', () => {
  /**
   * Azure's list for GPT-4.1 (2025): a PTU serves 3,000 input tokens per minute, and an output token counts like four
   * input tokens. A unit is 260 USD per month; tokens are 2 and 8 USD per million. 15 units at 730 hours per month pay off from 98.9 % of
   * their capacity.
   */
  const units: FixedCostSaveInput = {
    ...seats,
    key: 'ptu',
    driver: 'TOKENS',
    weights: [{ class: 'output', weight: '4' }],
    capacityPerDay: String(15 * 3_000 * 60 * 24),
    periods: [
      // 12 months of 3,900 USD, over the 365 days of a year.
      { from: '2026-01-01', until: '2027-01-01', amount: '46800', currency: 'USD', per: 'PERIOD', quantity: '1' },
    ],
  };

  it('shows what was used, what was idle, and what a million tokens cost', async () => {
    await setRate(costing.operator, {
      model: 'gpt-4.1',
      input: '2',
      output: '8',
      effectiveFrom: '2020-01-01T00:00:00Z',
    });
    // Two thirds of the capacity of a day, and all of the next one.
    const tokens = { model: 'gpt-4.1', cost_override: undefined };
    await send([
      at('2026-03-01', 'ann', { ...tokens, input_tokens: 21_600_000, output_tokens: 5_400_000 }),
      at('2026-03-02', 'ann', { ...tokens, input_tokens: 32_400_000, output_tokens: 8_100_000 }),
    ]);
    await saveFixedCost(costing.operator, units);
    await allocate();
    const ptu = (await getFixedCost(costing.operator, 'ptu'))!;
    const first = parseWindow({ start: '2026-03-01', end: '2026-03-02' });
    const day = await getUtilisation(costing.operator, ptu, first);
    expect(day).toMatchObject({ days: 1, percent: 66.67, usedMeasure: 43_200_000n * 10n ** 15n });
    expect(day.used + day.idle!).toBe(day.bought);
    expect(plain(day.bought).slice(0, 12)).toBe('128.21917808');
    expect(plain(day.used).slice(0, 12)).toBe('85.479452054');
    // At full use the same calls cost 129.60 USD by token: the units pay off from 98.93 % of their capacity.
    const full = await getUtilisation(costing.operator, ptu, parseWindow({ start: '2026-03-02', end: '2026-03-03' }));
    expect(plain(full.modelCost)).toBe('129.6');
    // So does a day of which two thirds were used: the break-even does not depend on use.
    expect([day.breakEvenPercent, full.breakEvenPercent]).toEqual([98.93, 98.93]);
    const price = await getEffectivePrice(
      costing.operator,
      ptu,
      parseWindow({ start: '2026-03-02', end: '2026-03-03' }),
    );
    // The price of this model is the organization's own; the catalogue does not list it.
    expect([plain(full.listCost!), full.listBreakEvenPercent]).toEqual(['129.6', 98.93]);
    // 128.219178 USD for 64.8 million weighted tokens.
    expect(price!.price!.toFixed(6)).toBe('1.978691');
    expect(await differences()).toEqual([]);
  });
});

describe('the break-even of capacity', () => {
  it('is lower at list prices than at discounted or negotiated ones', async () => {
    // 2 and 8 USD at list price. 100 million input tokens are half of the capacity: 200 USD at list price.
    const list = { model: 'gpt-4.1', provider: 'openai', input: '2', output: '8', effectiveFrom: '2020-01-01' };
    await setRate(costing.global, list);
    await saveAgreement(costing.operator, {
      provider: 'openai',
      name: 'Enterprise',
      from: '2026-03-02',
      until: '2026-03-03',
      discounts: [{ percent: '20' }],
    });
    const tokens = { model: 'gpt-4.1', provider: 'openai', cost_override: undefined, input_tokens: 100_000_000 };
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
    await send(days.map((day) => at(day, 'ann', { ...tokens, output_tokens: 0 })));
    await save({ driver: 'TOKENS', capacityPerDay: '200000000' });
    await allocate();
    const shown = async (start: string, end: string) => {
      const use = await getUtilisation(
        costing.operator,
        (await getFixedCost(costing.operator, 'seats'))!,
        parseWindow({ start, end }),
      );
      return [plain(use.modelCost), plain(use.listCost!), use.breakEvenPercent, use.listBreakEvenPercent];
    };
    // Half of the capacity costs 200 USD by token, so 100 USD are reached at a quarter of it.
    expect(await shown('2026-03-01', '2026-03-02')).toEqual(['200', '200', 25, 25]);
    expect(await shown('2026-03-02', '2026-03-03')).toEqual(['160', '200', 31.25, 25]);
    await setRate(costing.operator, { ...list, input: '1', effectiveFrom: '2026-03-03' });
    await reprice(costing.operator, { start: '2026-03-03', end: '2026-03-04', dryRun: false });
    await costing.settle();
    await allocateAnHourLater();
    expect(await shown('2026-03-03', '2026-03-04')).toEqual(['100', '200', 50, 25]);
    // 600 USD of list prices against 300 USD.
    expect(await shown('2026-03-01', '2026-03-04')).toEqual(['460', '600', 32.61, 25]);
    // A day that was allocated by an earlier version is read again, and nothing else changes.
    const before = await entryCount();
    await costing.rows("update allocation_day set list_cost = null where day = '2026-03-02'");
    const use = await getUtilisation(costing.operator, (await getFixedCost(costing.operator, 'seats'))!, march);
    expect([use.listCost, use.listBreakEvenPercent, use.breakEvenPercent]).toEqual([null, null, 32.61]);
    await allocate();
    expect(await shown('2026-03-01', '2026-03-04')).toEqual(['460', '600', 32.61, 25]);
    expect(await entryCount()).toBe(before);
  });
});

describe('a fixed cost that replaces model costs', () => {
  const costs = (day: string, user: string | null, cost: string, model = 'gpt-4.1') =>
    at(day, user, { model, cost_override: cost });
  const gpt = { scope: { models: ['gpt-*'] } };
  const replaced = async (window = march) => {
    const { endUsers, replacedCost } = await exportAllocatedLines(costing.operator, window);
    expect(new Set(endUsers.map(([name]) => name)).size).toBe(endUsers.length);
    return { total: replacedCost, ...Object.fromEntries(endUsers.map(([name, , cost]) => [name, cost])) };
  };

  it('states the replaced model cost of every end user whose calls it serves, whoever the fixed cost is allocated to', async () => {
    await send([
      costs('2026-03-01', 'ann', '3'),
      costs('2026-03-01', 'ann', '0.5', 'claude-x'),
      costs('2026-03-02', 'bob', '1.000000000000001'),
      costs('2026-03-02', null, '2'),
      // Outside of the days of the fixed cost.
      costs('2026-03-04', 'bob', '7'),
    ]);
    await save({ ...gpt, driver: 'SHARES', shares: [{ endUser: 'eve', percent: '10' }] });
    await allocate();
    expect(await replaced()).toEqual({ total: '0', eve: '0' });
    const terms = { ...gpt, driver: 'SHARES', shares: [{ endUser: 'eve', percent: '10' }] } as const;
    const preview = await previewFixedCost(
      costing.operator,
      { ...seats, ...terms, shares: [...terms.shares], replacesModelCost: true },
      march,
      100,
    );
    expect(plain(preview.replacedCost)).toBe('6.000000000000001');
    await save({ ...terms, shares: [...terms.shares], replacesModelCost: true });
    await allocate();
    expect(await replaced()).toEqual({ total: '6.000000000000001', ann: '3', bob: '1.000000000000001', eve: '0' });
    const page = await listAllocatedCosts(costing.operator, march, { groupBy: 'END_USER', first: 100 });
    expect(page.nodes.map((line) => [line.externalId, plain(line.total), plain(line.replacedCost)])).toEqual([
      ['eve', '30', '0'],
      ['ann', '0', '3'],
      ['bob', '0', '1.000000000000001'],
    ]);
    const saved = (await getFixedCost(costing.operator, 'seats'))!;
    const use = await getUtilisation(costing.operator, saved, march);
    // Without a capacity, it is unknown what was idle.
    expect([use.idle, use.capacity, use.percent, use.breakEvenPercent]).toEqual([null, null, null, null]);
    expect([saved.replacesModelCost, plain(use.modelCost), plain(use.replacedCost)]).toEqual([
      true,
      '6.000000000000001',
      '6.000000000000001',
    ]);
    expect(await differences()).toEqual([]);
    await endFixedCost(costing.operator, { key: 'seats', until: '2026-03-02' });
    await allocate();
    expect(await replaced()).toEqual({ total: '3', ann: '3', eve: '0' });
    await save(gpt);
    await allocate();
    expect((await replaced()).total).toBe('0');
    expect(await differences()).toEqual([]);
  });

  it('follows late events, repricing in a closed month and erasure like model costs do', async () => {
    await send([costs('2026-03-01', 'ann', '3')]);
    await save({ ...gpt, replacesModelCost: true, periods: [{ ...seats.periods[0]!, until: '2026-04-03' }] });
    await allocate();
    await closeCosts(costing.operator, '2026-03');
    await send([costs('2026-03-01', 'bob', '2'), costs('2026-03-01', null, '1')]);
    await allocateAnHourLater();
    const april = parseWindow({ start: '2026-04-01', end: '2026-05-01' });
    expect(await replaced()).toEqual({ total: '3', ann: '3' });
    expect(await replaced(april)).toMatchObject({ total: '3', bob: '2' });
    await eraseEndUser(costing.operator, { externalId: 'ann', keepDimensions: [], limit: 100 });
    const pseudonym = Object.keys((await allocated()).lines).find((name) => name.startsWith('erased-'))!;
    expect(await replaced()).toEqual({ total: '3', [pseudonym]: '3' });
    expect(await differences()).toEqual([]);
  });

  it('counts the model costs of a closed month once, when they are booked, including in a part of that day', async () => {
    await send([costs('2026-03-01', 'ann', '3')]);
    const until = { periods: [{ ...seats.periods[0]!, until: '2026-04-03' }] };
    await save({ ...gpt, ...until });
    await allocate();
    await closeCosts(costing.operator, '2026-03');
    await send([costs('2026-03-01', 'bob', '2')]);
    await save({ ...gpt, ...until, replacesModelCost: true });
    await allocateAnHourLater();
    const within = async (start: string, end: string) => (await replaced(parseWindow({ start, end }))).total;
    // Since April, the terms replace the cost of March; the late event is a cost of April.
    expect(await within('2026-04-01', '2026-04-01T12:00:00Z')).toBe('5');
    expect(await within('2026-04-01', '2026-04-02')).toBe('5');
    expect(await within('2026-03-01T06:00:00Z', '2026-03-01T18:00:00Z')).toBe('3');
    expect(await within('2026-03-01', '2026-03-02')).toBe('0');
  });

  it('states only the part of a day that a window contains', async () => {
    const time = (event_invoked_at: string, user: string | null, cost: string) => ({
      ...costs('2026-03-01', user, cost),
      event_invoked_at,
    });
    await send([
      time('2026-03-01T06:00:00Z', 'ann', '2.5'),
      time('2026-03-01T18:00:00Z', 'ann', '7.5'),
      time('2026-03-01T18:00:00Z', null, '1'),
      time('2026-03-02T12:00:00Z', 'bob', '4'),
      time('2026-03-03T06:00:00Z', 'ann', '8'),
      time('2026-03-03T18:00:00Z', 'eve', '16'),
      time('2026-03-04T06:00:00Z', 'ann', '32'),
    ]);
    await send([time('2026-03-01T06:00:00Z', 'ann', '64')], costing.test);
    await save({ ...gpt, replacesModelCost: true });
    await allocate();
    const within = (start: string, end: string) => replaced(parseWindow({ start, end }));
    expect(await within('2026-03-01', '2026-03-01T12:00:00Z')).toMatchObject({ total: '2.5', ann: '2.5' });
    expect(await within('2026-03-01T12:00:00Z', '2026-03-02')).toEqual({ total: '8.5', ann: '7.5' });
    expect(await within('2026-03-01T18:00:00Z', '2026-03-01T18:00:00.000001Z')).toEqual({ total: '8.5', ann: '7.5' });
    expect(await within('2026-03-01T07:00:00Z', '2026-03-01T18:00:00Z')).toEqual({ total: '0' });
    // The whole days and the partial one are in a single line for each end user.
    expect(await within('2026-03-01', '2026-03-03T12:00:00Z')).toMatchObject({ total: '23', ann: '18', bob: '4' });
    expect(await within('2026-03-01T12:00:00Z', '2026-03-03T12:00:00Z')).toEqual({
      total: '20.5',
      ann: '15.5',
      bob: '4',
      eve: '0',
    });
    expect(await within('2026-03-03T12:00:00Z', '2026-03-05')).toEqual({ total: '16', eve: '16' });
    expect((await replaced()).total).toBe('39');
  });

  it('is refused if another one replaces the same calls on the same days', async () => {
    const until = (from: string, end: string | null) => [{ ...seats.periods[0]!, from, until: end }];
    const replaces = { replacesModelCost: true };
    await save({ ...gpt, ...replaces });
    const message = 'Seats (seats) already replaces the model cost of some of these calls on the same days';
    const other = { ...replaces, key: 'other', name: 'Other' };
    await expect(save({ ...other, scope: { models: ['gpt-4.1'] } })).rejects.toThrow(message);
    await expect(save({ ...other, periods: until('2026-01-01', null) })).rejects.toThrow(message);
    await expect(
      previewFixedCost(costing.operator, { ...seats, ...other, scope: { models: ['g*'] } }, march, 10),
    ).rejects.toThrow(message);
    await save({ ...other, replacesModelCost: false });
    await save({ ...other, scope: { models: ['claude-*'] } });
    await save({ ...other, periods: until('2026-03-04', null) });
    await save({ ...gpt, ...replaces, name: 'Renamed' });
  });

  it('a fixed cost that replaces model costs whose replaced costs are missing is found by verification', async () => {
    await send([costs('2026-03-01', 'ann', '3')]);
    await save({ ...gpt, replacesModelCost: true });
    await allocate();
    await costing.rows("update allocation_entry set replaced_cost = 1 where external_id = 'ann'");
    await costing.rows("update allocation_day set replaced_cost = 1 where day = '2026-03-01'");
    expect(await differences()).toEqual([
      expect.stringMatching(/ seats 2026-03-01: the ledger has 3 in replaced costs, but 1 is booked$/),
    ]);
    await costing.rows("update allocation_day set replaced_cost = 3 where day = '2026-03-01'");
    expect(await differences()).toHaveLength(2);
    await costing.rows("update allocation_day set list_cost = 2 where day = '2026-03-01'");
    expect((await differences()).join()).toContain('2026-03-01: the ledger has 3 at list prices, but 2 is stored');
    // List prices of a day that an earlier version allocated are not compared.
    await costing.rows("update allocation_day set list_cost = null where day = '2026-03-01'");
    expect((await differences()).join()).not.toContain('at list prices');
    // A day whose ledger has changed since is not compared.
    await costing.rows('update cost_hour set total_cost = total_cost + 1');
    expect((await differences()).join()).not.toContain('the ledger has 3');
  });
});

describe('any history of events', () => {
  it('is allocated like its events in another order, and keeps every amount', async () => {
    const day = fc.constantFrom('2026-03-01', '2026-03-02', '2026-03-03');
    const drawn = fc.record({
      day,
      user: fc.constantFrom('ann', 'bob', 'eve', null),
      tokens: fc.integer({ min: 1, max: 1_000_000 }),
    });
    const history = fc.record({
      events: fc.array(drawn, { maxLength: 12 }),
      late: fc.array(drawn, { maxLength: 4 }),
      driver: fc.constantFrom('TOKENS', 'EVENTS', 'COST', 'EQUAL' as const),
      capacity: fc.option(fc.integer({ min: 1, max: 3_000_000 })),
      amount: fc.integer({ min: 1, max: 1_000_000 }),
      replacesModelCost: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ events, late, driver, capacity, amount, replacesModelCost }) => {
        const input: FixedCostSaveInput = {
          ...seats,
          driver: driver as FixedCostSaveInput['driver'],
          replacesModelCost,
          capacityPerDay: driver === 'EQUAL' || capacity === null ? null : String(capacity),
          periods: [{ ...seats.periods[0]!, amount: String(amount), per: 'PERIOD', quantity: '0.000001' }],
        };
        const toEvents = (of: typeof events) =>
          of.map(({ day: on, user, tokens }) =>
            at(on, user, { input_tokens: tokens, cost_override: String(tokens / 1_000) }),
          );
        const inTwo = async (first: readonly object[], second: readonly object[]) => {
          const own = await startCosting(costing.database);
          const { operator } = own;
          await own.send(first);
          await own.settle();
          await saveFixedCost(operator, input);
          await allocate();
          await own.send(second);
          await own.settle();
          await allocateAnHourLater();
          const page = await listAllocatedCosts(operator, march, { groupBy: 'END_USER', first: 100 });
          const checks = (await verifyCosting(operator)).flatMap((check) => check.differences);
          return {
            sums: sumsOf(page),
            lines: page.nodes.map((line) => [line.endUser!.externalId, line.total]),
            replaced: Object.fromEntries(
              page.nodes.map((line) => [line.externalId!, line.replacedCost]).filter(([, cost]) => cost !== 0n),
            ) as Record<string, bigint>,
            replacedTotal: page.replacedCost,
            checks,
          };
        };
        const late1 = toEvents(late);
        const all = [...toEvents(events), ...late1];
        const stepwise = await inTwo(all.slice(0, events.length), late1);
        const atOnce = await inTwo(all.toReversed(), []);
        expect(stepwise).toEqual(atOnce);
        expect(stepwise.checks).toEqual([]);
        expect(plain(stepwise.sums.total)).toBe(plain(BigInt(amount) * 10n ** 9n));
        // Every event is in scope and costs a thousandth of a USD per token.
        const tokensOf = (user: string | null) =>
          [...events, ...late].reduce(
            (total, drawnEvent) => total + (drawnEvent.user === user ? drawnEvent.tokens : 0),
            0,
          );
        const costOf = (user: string | null) => BigInt(tokensOf(user)) * 10n ** 12n;
        const users = replacesModelCost ? ['ann', 'bob', 'eve'].filter((user) => tokensOf(user) > 0) : [];
        expect(stepwise.replaced).toEqual(Object.fromEntries(users.map((user) => [user, costOf(user)])));
        const expectedTotal = [...users, ...(replacesModelCost ? [null] : [])].reduce(
          (total, user) => total + costOf(user),
          0n,
        );
        expect(stepwise.replacedTotal).toBe(expectedTotal);
      }),
      runs(8, { nightly: 60 }),
    );
  });
});
