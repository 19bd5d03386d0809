/** The bounds of allowances and holds: what counts from which instant, which limit applies, and which answer wins. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { listAllowances } from '../../../../subgraphs/costing/allowances/list-allowances.operation.ts';
import { removeAllowance } from '../../../../subgraphs/costing/allowances/remove-allowance.operation.ts';
import { saveAllowance } from '../../../../subgraphs/costing/allowances/save-allowance.operation.ts';
import { topUpAllowance } from '../../../../subgraphs/costing/allowances/top-up-allowance.operation.ts';
import { eraseEndUser } from '../../../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { answerSpendCheck } from '../../../../subgraphs/costing/holds/answer-spend-check.operation.ts';
import { expireHoldsJob } from '../../../../subgraphs/costing/holds/expire-holds.job.ts';
import { listHolds } from '../../../../subgraphs/costing/holds/list-holds.operation.ts';
import { openHold } from '../../../../subgraphs/costing/holds/open-hold.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import type { AllowanceSaveInput, SpendInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { type Costing, event, startCosting } from '../costing-builder.ts';
import { untilWaiting } from '../../../support/waiting-connections.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

let keys = 0;
const save = (input: Partial<AllowanceSaveInput> = {}) =>
  saveAllowance(costing.operator, {
    ...{ subject: 'END_USER', subjectId: 'anna', period: 'DAY', policy: 'DENY', amount: '1' },
    ...input,
  });
const ofAll = { subject: 'ORGANIZATION', subjectId: null } as const;
const hold = (spend: SpendInput, more: { readonly key?: string; readonly ttlSeconds?: number } = {}) =>
  openHold(costing.live, {
    idempotencyKey: more.key ?? `hold-${++keys}`,
    spend,
    ttlSeconds: more.ttlSeconds ?? null,
  });
const use = (cost: string, at: string | Date = new Date(), more: object = {}) =>
  event(`use-${++keys}`, {
    ...{ cost_override: cost, user_id: 'anna', event_invoked_at: new Date(at).toISOString() },
    ...more,
  });
const send = async (events: readonly object[], context = costing.live) => {
  const ids = await costing.send(events, context);
  await costing.settle();
  return ids;
};
const spent = async () =>
  (await listAllowances(costing.operator, { first: 50 })).nodes.map((one) => one.spent).toSorted();
const waiting = (count: number) => untilWaiting((text) => costing.rows(text), count);
/** Runs `work` while `held` waits for this allowance and is in the middle of its transaction. */
const whileWaiting = (id: string, held: () => Promise<unknown>, work: () => Promise<unknown>) =>
  withClient(costing.database.target, async (client) => {
    await client.query('begin');
    await client.query('select 1 from allowance_period where allowance_id = $1 for update', [id]);
    const first = held();
    await waiting(1);
    const second = work();
    await Promise.race([second, waiting(2)]);
    await client.query('commit');
    await Promise.all([first, second]);
  });
/** As documented. */
const OPEN_HOLDS_MAX = 10_000;

describe('the decision', () => {
  it('names the allowance with the least left, or one that denies', async () => {
    const { id: all } = await save({ ...ofAll, amount: '10' });
    const { id: anna } = await save({ amount: '1' });
    expect(await hold({ endUser: 'anna', amount: '0.4' })).toMatchObject({ allowanceId: anna, left: '0.6' });
    const { id: support } = await save({ subject: 'AGENT', subjectId: 'support', amount: '0.1', policy: 'WARN' });
    const asked = { endUser: 'anna', agent: 'support' };
    expect(await hold({ ...asked, amount: '0.5' })).toMatchObject({
      allowed: true,
      allowanceId: support,
      left: '-0.4',
    });
    expect(await answerSpendCheck(costing.live, { ...asked, amount: '0.2' })).toMatchObject({
      ...{ allowed: false, because: 'ALLOWANCE_USED_UP', allowanceId: anna, left: '0.1' },
    });
    expect(await hold({ ...asked, amount: '0.2' })).toMatchObject({ allowed: false, allowanceId: anna, left: '0.1' });
    expect(await hold({ amount: '9.2' })).toMatchObject({ allowed: false, allowanceId: all, left: '9.1' });
  });

  it('refuses more open holds than the maximum even if the allowance only warns, and counts none that has expired', async () => {
    await save({ policy: 'WARN', amount: '0' });
    await hold({ endUser: 'anna', amount: '1' });
    const setOpen = (count: number) => costing.rows('update allowance_period set open_holds = $1', [count]);
    const answers = async () =>
      [
        await answerSpendCheck(costing.live, { endUser: 'anna', amount: '1' }),
        await hold({ endUser: 'anna', amount: '1' }),
      ].map(({ allowed, because }) => `${because} ${allowed}`);
    await setOpen(OPEN_HOLDS_MAX - 1);
    expect(await answers()).toEqual(['OVER_ALLOWANCE true', 'OVER_ALLOWANCE true']);
    await setOpen(OPEN_HOLDS_MAX);
    expect(await answers()).toEqual(['TOO_MANY_OPEN_HOLDS false', 'TOO_MANY_OPEN_HOLDS false']);
    await costing.rows("update hold set expires_at = now() - interval '1 second'");
    expect(await answers()).toEqual(['OVER_ALLOWANCE true', 'OVER_ALLOWANCE true']);
  });

  it('refuses more open holds than the maximum to calls that ask at the same time', async () => {
    await save({ amount: '100' });
    await hold({ endUser: 'anna', amount: '1' });
    await costing.rows('update allowance_period set open_holds = $1', [OPEN_HOLDS_MAX - 3]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => hold({ endUser: 'anna', amount: '1' })));
    expect(answers.map(({ because }) => because).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'TOO_MANY_OPEN_HOLDS'),
      ...Array.from({ length: 3 }, () => 'WITHIN_ALLOWANCE'),
    ]);
    expect(await hold({ endUser: 'anna', amount: '1' })).toMatchObject({ because: 'TOO_MANY_OPEN_HOLDS' });
  });

  it('is repeated for the same request only, including the duration of its hold', async () => {
    const asked = { endUser: 'anna', amount: '0.1' };
    const first = await hold(asked, { key: 'one', ttlSeconds: 86_400 });
    expect(Number(new Date(String(first.expiresAt))) - Date.now()).toBeGreaterThan(86_300_000);
    expect(await hold(asked, { key: 'one', ttlSeconds: 86_400 })).toEqual(first);
    await expect(hold(asked, { key: 'one', ttlSeconds: 60 })).rejects.toThrow('used for another request');
    for (const ttlSeconds of [0, 86_401])
      await expect(hold(asked, { ttlSeconds })).rejects.toThrow('ttlSeconds must be from 1 to 86400');
  });
});

describe('a hold', () => {
  it('is settled by the first event that names it, in any case; a name that belongs to no hold is ignored', async () => {
    await save();
    const { holdId } = await hold({ endUser: 'anna', amount: '0.4' });
    const named = (hold_id: unknown) => ({ metadata: { hold_id } });
    const [first] = await send([
      use('0.1', new Date(), named(holdId!.toUpperCase())),
      use('0.1', new Date(), named(holdId)),
      use('0.1', new Date(), named('not-a-hold')),
      use('0.1', new Date(), named(7)),
    ]);
    const { nodes } = await listHolds(costing.operator, { first: 10 });
    expect(nodes).toMatchObject([{ state: 'SETTLED', eventId: first }]);
    expect(await spent()).toEqual(['0.4']);
  });

  it('a hold without an allowance is settled too, if events of several organizations are priced together', async () => {
    const callers = [costing.live, costing.stranger];
    for (const context of callers) {
      const { holdId } = await openHold(context, { idempotencyKey: 'one', spend: { amount: '0.1' } });
      await costing.send([use('0.1', new Date(), { metadata: { hold_id: holdId } })], context);
    }
    await costing.settle();
    for (const context of callers)
      expect((await listHolds(context, { first: 10 })).nodes).toMatchObject([{ state: 'SETTLED' }]);
  });

  it('a hold of an erased end user keeps no digest of its request', async () => {
    await hold({ endUser: 'anna', amount: '0.1' });
    await send([use('0.1')]);
    await eraseEndUser(costing.operator, { externalId: 'anna', keepDimensions: [], limit: 100 });
    expect(await costing.rows('select request_digest as digest from hold')).toEqual([{ digest: '' }]);
  });

  it('is listed as expired as soon as its time has passed', async () => {
    for (const key of ['one', 'other']) await hold({ amount: '0.1' }, { key });
    await costing.rows("update hold set expires_at = now() - interval '1 second' where idempotency_key = 'one'");
    const listed = async (state: 'OPEN' | 'EXPIRED') =>
      (await listHolds(costing.operator, { first: 10, filter: { state } })).nodes.map((one) => [
        one.idempotencyKey,
        one.state,
      ]);
    expect(await listed('EXPIRED')).toEqual([['one', 'EXPIRED']]);
    expect(await listed('OPEN')).toEqual([['other', 'OPEN']]);
  });

  it('is listed once, a page at a time', async () => {
    for (let n = 0; n < 3; n++) await hold({ amount: '0.1' });
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const { nodes, pageInfo } = await listHolds(costing.operator, { first: 1, after });
      seen.push(...nodes.map(({ idempotencyKey }) => idempotencyKey));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(seen).toEqual([keys, keys - 1, keys - 2].map((n) => `hold-${n}`));
  });
});

describe('an allowance', () => {
  it.each([
    ['the organization', ofAll],
    ['an end user', {}],
    ['an agent', { subject: 'AGENT', subjectId: 'triage' }],
  ] as const)(
    'an allowance of %s counts live costs from its first instant on, even within an hour',
    async (_, subject) => {
      const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      const at = (time: string) => `${day}T${time}Z`;
      const by = { agent_id: 'triage' };
      await send([
        use('0.01', at('10:29:59.999'), by),
        use('0.02', at('10:30:00'), by),
        use('0.04', at('10:59:59.999'), by),
        use('0.08', at('11:00:00'), by),
      ]);
      await send([use('0.16', at('10:45:00'), by), use('0.16', at('11:45:00'), by)], costing.test);
      await save({ ...subject, period: 'PREPAID', amount: null, countsFrom: at('10:30:00') });
      expect(await spent()).toEqual(['0.14']);
      await send([use('0.32', at('10:29:59.999'), by), use('0.64', at('10:30:00'), by)]);
      expect(await spent()).toEqual(['0.78']);
    },
  );

  it.each([
    ['', [use('0.1')]],
    [', for the first time', []],
  ])('counts each cost once if it is created while costs are booked%s', async (_, earlier) => {
    const { id } = await save(ofAll);
    await send(earlier);
    await costing.send([use('0.2')]);
    await whileWaiting(id, costing.settle, () => save());
    const sum = earlier.length === 0 ? '0.2' : '0.3';
    expect(await spent()).toEqual([sum, sum]);
  });

  it('leaves nothing behind if it is removed while costs are booked', async () => {
    const { id } = await save(ofAll);
    const { id: removed } = await save();
    await send([use('0.1')]);
    await costing.send([use('0.2')]);
    await whileWaiting(id, costing.settle, () => removeAllowance(costing.operator, removed));
    expect(await costing.rows('select allowance_id as id from allowance_period')).toEqual([{ id }]);
    expect(await spent()).toEqual(['0.3']);
  });

  it('counts live costs that are booked late, after their month was closed', async () => {
    const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
    const [last, current] = [new Date(Date.UTC(year, month - 1)), new Date(Date.UTC(year, month))];
    await closeCosts(costing.operator, last.toISOString().slice(0, 7));
    const late = () => use('0.1', last, { agent_id: 'triage' });
    await send([late()]);
    await send([late()], costing.test);
    for (const subject of [ofAll, {}, { subject: 'AGENT', subjectId: 'triage' }] as const)
      await save({ ...subject, period: 'PREPAID', amount: null, countsFrom: current.toISOString() });
    expect(await spent()).toEqual(['0.1', '0.1', '0.1']);
  });

  it('keeps the instant from which it counts costs', async () => {
    const countsFrom = '2026-01-01T00:00:00Z';
    await save({ countsFrom });
    await save({ countsFrom, amount: '2' });
    for (const other of ['2025-12-31T23:59:59Z', '2026-01-01T00:00:01Z'])
      await expect(save({ countsFrom: other })).rejects.toThrow('countsFrom of an allowance cannot be changed');
  });

  it('has the current UTC day or month as its period, or none', async () => {
    const now = new Date();
    const [year, month, date] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
    const utc = (...parts: [number, number, number]) => new Date(Date.UTC(...parts));
    const periodOf = async (input: Partial<AllowanceSaveInput>) => {
      const { periodStart, periodEnd } = await save(input);
      return [periodStart, periodEnd];
    };
    expect(await periodOf({ period: 'DAY' })).toEqual([utc(year, month, date), utc(year, month, date + 1)]);
    expect(await periodOf({ period: 'MONTH' })).toEqual([utc(year, month, 1), utc(year, month + 1, 1)]);
    expect(await periodOf({ period: 'PREPAID', amount: null })).toEqual([null, null]);
  });

  it('shows the used part rounded down, and is used up if nothing is allowed and something was spent', async () => {
    await save({ amount: '1' });
    await save({ subjectId: 'bert', amount: '0' });
    await save({ subjectId: 'carl', amount: '0' });
    await send([use('0.809'), use('0.1', new Date(), { user_id: 'bert' })]);
    const used = async (usedPercent: number) =>
      (await listAllowances(costing.operator, { first: 10, filter: { usedPercent } })).nodes.map((one) => [
        one.subjectId,
        one.usedPercent,
      ]);
    expect(await used(80)).toEqual([
      ['anna', 80],
      ['bert', null],
    ]);
    expect(await used(81)).toEqual([['bert', null]]);
  });

  it('keeps a past period while holds of it are open', async () => {
    const { id } = await save();
    await costing.rows(
      `insert into allowance_period (organization_id, allowance_id, period_start, held, open_holds, spent)
       values ($1, $2, now() - interval '402 days', 1, 1, 0), ($1, $2, now() - interval '403 days', 0, 0, 0)`,
      [costing.organizationId, id],
    );
    const job = expireHoldsJob({ database: costing.database });
    while ((await job.step()) === 'more');
    expect(await costing.rows('select open_holds::int as holds from allowance_period order by period_start')).toEqual([
      { holds: 1 },
      { holds: 0 },
    ]);
  });

  it('is not created for the pseudonym of an end user who is being erased', async () => {
    await send([use('0.1'), use('0.1')]);
    await eraseEndUser(costing.operator, { externalId: 'anna', keepDimensions: [], limit: 1 });
    const [erasure] = await costing.rows<{ pseudonym: string }>('select pseudonym from end_user_erasure');
    await expect(save({ subjectId: erasure!.pseudonym })).rejects.toThrow('is being erased');
    await expect(save({ subject: 'AGENT', subjectId: erasure!.pseudonym })).resolves.toBeDefined();
  });

  it('is not created while the erasure of its end user begins', async () => {
    await send([use('0.1')]);
    const erase = () => eraseEndUser(costing.operator, { externalId: 'anna', keepDimensions: [], limit: 0 });
    await withClient(costing.database.target, async (client) => {
      // The erasure waits in the middle of its transaction, for its audit record.
      await client.query('begin');
      await client.query('lock table audit_record in share mode');
      const erasing = erase();
      await waiting(1);
      const saving = expect(save()).rejects.toThrow('is being erased');
      await waiting(2);
      await client.query('commit');
      await Promise.all([erasing, saving]);
    });
  });

  it('is topped up with an amount, and only if it is prepaid', async () => {
    const { id: prepaid } = await save({ period: 'PREPAID', amount: null });
    const { id: monthly } = await save({ period: 'MONTH' });
    const topUp = (allowanceId: string, amount: string) =>
      topUpAllowance(costing.operator, { allowanceId, amount, idempotencyKey: `top-up-${++keys}` });
    await expect(topUp(prepaid, '0.00')).rejects.toThrow('amount must be above 0');
    await expect(topUp(monthly, '1')).rejects.toThrow('is not a prepaid allowance');
    expect(await topUp(prepaid, '1')).toMatchObject({ amount: '1' });
  });
});
