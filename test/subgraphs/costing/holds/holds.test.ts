/** Allowances and holds: who may spend, what is reserved, and what settles it. Known answers are computed by hand. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { listAllowances } from '../../../../subgraphs/costing/allowances/list-allowances.operation.ts';
import { listTopUps } from '../../../../subgraphs/costing/allowances/list-top-ups.operation.ts';
import { removeAllowance } from '../../../../subgraphs/costing/allowances/remove-allowance.operation.ts';
import { saveAllowance } from '../../../../subgraphs/costing/allowances/save-allowance.operation.ts';
import { topUpAllowance } from '../../../../subgraphs/costing/allowances/top-up-allowance.operation.ts';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { eraseEndUser } from '../../../../subgraphs/costing/erasure/erase-end-user.operation.ts';
import { answerSpendCheck } from '../../../../subgraphs/costing/holds/answer-spend-check.operation.ts';
import { expireHoldsJob } from '../../../../subgraphs/costing/holds/expire-holds.job.ts';
import { listHolds } from '../../../../subgraphs/costing/holds/list-holds.operation.ts';
import { openHold } from '../../../../subgraphs/costing/holds/open-hold.operation.ts';
import { releaseHold } from '../../../../subgraphs/costing/holds/release-hold.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { saveAgreement } from '../../../../subgraphs/costing/agreements/save-agreement.operation.ts';
import { ingestProviderResponses } from '../../../../subgraphs/costing/telemetry/ingest-provider-responses.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import type { AllowanceSaveInput, SpendInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { isOnNodes } from '../../../support/fresh-database.ts';
import { call, type Costing, event, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

let keys = 0;
const save = (input: Partial<AllowanceSaveInput>, context = costing.operator) =>
  saveAllowance(context, {
    subject: 'END_USER',
    subjectId: 'anna',
    period: 'DAY',
    policy: 'DENY',
    amount: '1',
    ...input,
  });
const hold = (spend: SpendInput, more: { key?: string; ttlSeconds?: number; context?: SubgraphContext } = {}) =>
  openHold(more.context ?? costing.live, {
    idempotencyKey: more.key ?? `hold-${++keys}`,
    spend,
    ttlSeconds: more.ttlSeconds ?? null,
  });
const anna = (amount: string, more = {}) => hold({ endUser: 'anna', amount }, more);
const balance = async (context = costing.operator) => {
  const { nodes } = await listAllowances(context, { first: 50 });
  return nodes.map(({ subjectId, held, spent, left }) => ({ subjectId, held, spent, left }));
};
const spend = async (amount: string, more: object = {}) => {
  const [id = ''] = await costing.send([event(`spend-${++keys}`, { cost_override: amount, user_id: 'anna', ...more })]);
  await costing.settle();
  return id;
};
/** On several nodes, `insert … select` needs this row. */
const insertHome = () =>
  costing.rows('insert into organization_home (organization_id) values ($1) on conflict do nothing', [
    costing.organizationId,
  ]);
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);

describe('a decision', () => {
  it('allows a call without an allowance, and says so', async () => {
    expect(await anna('1000000')).toMatchObject({
      allowed: true,
      because: 'NO_ALLOWANCE',
      left: null,
      allowanceId: null,
    });
  });

  it('reserves up to the last cent, and then refuses', async () => {
    const { id } = await save({ amount: '0.10' });
    expect(await anna('0.07')).toMatchObject({
      allowed: true,
      because: 'WITHIN_ALLOWANCE',
      left: '0.03',
      allowanceId: id,
    });
    expect(await anna('0.030000000000001')).toMatchObject({
      allowed: false,
      because: 'ALLOWANCE_USED_UP',
      left: '0.03',
      holdId: null,
      allowanceId: id,
    });
    expect(await anna('0.03')).toMatchObject({ allowed: true, left: '0' });
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0.1', spent: '0', left: '0' }]);
    expect(await differences()).toEqual([]);
  });

  it('checks all allowances that apply to the call, and reserves from all or none', async () => {
    await save({ subject: 'ORGANIZATION', subjectId: null, period: 'MONTH', amount: '10' });
    await save({ subject: 'AGENT', subjectId: 'support', amount: '1' });
    await save({ amount: '5' });
    expect(await hold({ endUser: 'anna', agent: 'support', amount: '2' })).toMatchObject({ allowed: false, left: '1' });
    expect((await balance()).map(({ held }) => held)).toEqual(['0', '0', '0']);
    expect(await hold({ endUser: 'anna', agent: 'support', amount: '1' })).toMatchObject({ allowed: true, left: '0' });
    expect(await hold({ endUser: 'bert', amount: '9' })).toMatchObject({ allowed: true, left: '0' });
    expect(await anna('0.01')).toMatchObject({ allowed: false, left: '0' });
    expect((await balance()).map(({ held }) => held)).toEqual(['10', '1', '1']);
  });

  it('only warns if the policy says so', async () => {
    await save({ policy: 'WARN', amount: '1' });
    expect(await anna('1.5')).toMatchObject({ allowed: true, because: 'OVER_ALLOWANCE', left: '-0.5' });
  });

  it('gives the same answer for the same key, and refuses another request under it', async () => {
    await save({ amount: '1' });
    const first = await anna('1', { key: 'one' });
    expect(await anna('1', { key: 'one' })).toEqual(first);
    const refused = await anna('1', { key: 'two' });
    expect(refused.allowed).toBe(false);
    await releaseHold(costing.live, first.holdId!);
    expect(await anna('1', { key: 'one' })).toEqual(first);
    expect(await anna('1', { key: 'two' })).toEqual(refused);
    await expect(anna('0.5', { key: 'one' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0', spent: '0', left: '1' }]);
  });

  // Several nodes decide on each call in a transaction of its own.
  it.skipIf(isOnNodes())(
    'shares a transaction with others requested at the same time, and says what is left after each',
    async () => {
      await save({ amount: '1' });
      await save({ subject: 'AGENT', subjectId: 'support', amount: '9' });
      await hold({ endUser: 'anna', agent: 'support', amount: '0.01' });
      const asked = Array.from({ length: 40 }, () => hold({ endUser: 'anna', agent: 'support', amount: '0.01' }));
      const left = (await Promise.all(asked)).map((decision) => Number(decision.left));
      expect(left.toSorted((one, other) => other - one)).toEqual(asked.map((_, index) => (98 - index) / 100));
      const inserted = await costing.rows('select count(distinct xmin::text)::int as transactions from hold');
      expect(inserted).toEqual([{ transactions: expect.toSatisfy((count: number) => count <= 20) }]);
      expect((await balance()).map(({ held }) => held)).toEqual(['0.41', '0.41']);
      expect(await differences()).toEqual([]);
    },
  );

  it('allows as many of the calls that ask at the same time as fit, and refuses the others', async () => {
    await save({ amount: '0.25' });
    const decisions = await Promise.all(Array.from({ length: 40 }, () => anna('0.01')));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(25);
    expect(decisions.filter(({ because }) => because === 'ALLOWANCE_USED_UP')).toHaveLength(15);
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0.25', spent: '0', left: '0' }]);
  });

  it('fails alone if no rate prices the call', async () => {
    await save({ amount: '1' });
    const unknown = { model: 'no-such-model', maxInputTokens: 1, maxOutputTokens: 1 };
    const [one, failed, other] = await Promise.allSettled([anna('0.1'), hold(unknown), anna('0.1')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'VALIDATION_ERROR' } });
    for (const asked of [one, other]) expect(asked).toMatchObject({ value: { allowed: true } });
    expect(await balance()).toMatchObject([{ held: '0.2' }]);
  });

  it('checks without reserving, and reserves nothing for a test key', async () => {
    await save({ amount: '1' });
    expect(await answerSpendCheck(costing.live, { endUser: 'anna', amount: '1' })).toMatchObject({
      allowed: true,
      left: '1',
      holdId: null,
    });
    expect(await answerSpendCheck(costing.live, { endUser: 'anna', amount: '1.1' })).toMatchObject({
      allowed: false,
      left: '1',
    });
    expect(await anna('1', { context: costing.test })).toMatchObject({ allowed: true, holdId: null });
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0', spent: '0', left: '1' }]);
  });

  it('is withdrawn when its hold has expired: a resend is not allowed to spend', async () => {
    await save({ amount: '1' });
    const first = await anna('0.4', { key: 'one' });
    await costing.rows("update hold set expires_at = now() - interval '1 second'");
    const resent = { ...first, allowed: false, because: 'HOLD_EXPIRED', holdId: null, expiresAt: null };
    expect(await anna('0.4', { key: 'one' })).toEqual(resent);
    while ((await expireHoldsJob({ database: costing.database }).step()) === 'more');
    expect(await anna('0.4', { key: 'one' })).toEqual(resent);
    expect(await anna('0.4', { key: 'two' })).toMatchObject({ allowed: true, left: '0.6' });
  });

  it.skipIf(isOnNodes())('does not read open holds that have not expired', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.01');
    await costing.rows(
      `insert into hold select (jsonb_populate_record(h, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', n::text))).*
      from hold h, generate_series(1, 1000) as n where id = $1`,
      [holdId],
    );
    await costing.rows('analyze hold');
    const readEntries = async () => {
      await costing.rows('select pg_stat_force_next_flush()');
      const read = await costing.rows(
        "select idx_tup_read::int as entries from pg_stat_user_indexes where indexrelname = 'hold_expiry_index'",
      );
      return (read as [{ entries: number }])[0].entries;
    };
    const before = await readEntries();
    for (let asked = 0; asked < 10; asked++) await anna('0.01');
    expect((await readEntries()) - before).toBeLessThan(1000);
  });

  it('reserves amounts whose sum has more than 15 digits', async () => {
    const { id } = await save({ policy: 'WARN', amount: '1' });
    await costing.rows('update allowance_period set held = 999999999999999 where allowance_id = $1', [id]);
    expect(await anna('999999999999')).toMatchObject({
      allowed: true,
      because: 'OVER_ALLOWANCE',
      left: '-1000999999999997',
    });
  });

  it('keeps organizations apart', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('1');
    expect(await anna('1', { context: costing.stranger })).toMatchObject({ because: 'NO_ALLOWANCE' });
    await expect(releaseHold(costing.stranger, holdId!)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await balance(costing.stranger)).toEqual([]);
  });

  it.each([
    [{}, /Send amount, or model/],
    [{ model: 'gpt-4o' }, /Send amount, or model/],
    [{ amount: '-1' }, /amount must be/],
    [{ amount: '1', maxInputTokens: 1 }, /Give either amount/],
    [{ model: 'gpt-4o', maxInputTokens: 1 }, /with maxInputTokens and maxOutputTokens \(0 is allowed\)/],
    [{ model: 'nobody-knows', maxInputTokens: 1, maxOutputTokens: 1 }, /send amount instead\. No rate card matches/],
    [{ model: 'gpt-4o', maxInputTokens: -1, maxOutputTokens: 1 }, /maxInputTokens must be/],
  ])('refuses %j', async (request, message) => {
    await expect(hold(request)).rejects.toThrow(message);
  });
});

describe('the price of a hold', () => {
  it("is the organization's own price for the maximum number of tokens", async () => {
    await importCatalogue(costing.global);
    // Anthropic publishes 3 per million input tokens and 15 per million output tokens.
    const request = {
      model: 'claude-sonnet-4-6',
      provider: 'anthropic',
      maxInputTokens: 10_000,
      maxOutputTokens: 1_000,
    };
    expect(await hold(request)).toMatchObject({ amount: '0.045' });
    await saveAgreement(costing.operator, {
      provider: 'anthropic',
      name: 'Less',
      from: '2020-01-01',
      discounts: [{ percent: '20' }],
    });
    expect(await hold(request)).toMatchObject({ amount: '0.036' });
    await setRate(costing.operator, { model: 'claude-sonnet-4-6', provider: 'anthropic', input: '1', output: '2' });
    expect(await answerSpendCheck(costing.live, request)).toMatchObject({ amount: '0.012' });
    // Another provider's rate for a model of the same name.
    await setRate(costing.operator, { model: 'claude-sonnet-4-6', provider: 'openrouter', input: '2', output: '4' });
    const ofOther = { ...request, provider: 'openrouter' };
    expect([await hold(request), await hold(ofOther)]).toMatchObject([{ amount: '0.012' }, { amount: '0.024' }]);
    expect(await answerSpendCheck(costing.live, ofOther)).toMatchObject({ amount: '0.024' });
  });

  it('is refused with the token class that has no rate, and without tokens', async () => {
    await setRate(costing.operator, { model: 'embedder', provider: null, input: '1' });
    const request = { model: 'embedder', maxInputTokens: 1_000_000 };
    await expect(hold({ ...request, maxOutputTokens: 5 })).rejects.toThrow(/The rate card has no rate for: output/);
    expect(await hold({ ...request, maxOutputTokens: 0 })).toMatchObject({ amount: '1' });
    const nothing = { ...request, maxInputTokens: 0, maxOutputTokens: 0 };
    await expect(hold(nothing)).rejects.toThrow('The call has no tokens');
  });
});

describe('an event', () => {
  it('replaces the hold it names by its exact cost', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.4');
    const id = await spend('0.123456789012345', { metadata: { hold_id: holdId } });
    expect(await balance()).toEqual([
      { subjectId: 'anna', held: '0', spent: '0.123456789012345', left: '0.876543210987655' },
    ]);
    const { nodes } = await listHolds(costing.operator, { first: 10 });
    expect(nodes).toMatchObject([
      {
        id: holdId,
        endUser: { externalId: 'anna' },
        state: 'SETTLED',
        amount: '0.4',
        cost: '0.123456789012345',
        eventId: id,
      },
    ]);
    expect(await differences()).toEqual([]);
  });

  it('settles the hold it names without an allowance too', async () => {
    const { holdId } = await anna('0.4');
    const id = await spend('0.1', { metadata: { hold_id: holdId } });
    const { nodes } = await listHolds(costing.operator, { first: 10 });
    expect(nodes).toMatchObject([{ id: holdId, state: 'SETTLED', cost: '0.1', eventId: id }]);
  });

  it('an event that costs more than its hold is booked in full', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.9');
    await spend('1.5', { metadata: { hold_id: holdId } });
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0', spent: '1.5', left: '-0.5' }]);
    expect(await anna('0')).toMatchObject({ allowed: false, left: '-0.5' });
  });

  it('an event without a hold counts too; a test event, another end user and an earlier day do not', async () => {
    await save({ amount: '1' });
    await spend('0.25');
    await spend('0.25', { user_id: 'bert' });
    await spend('0.25', { event_invoked_at: new Date(Date.now() - 86_400_000).toISOString() });
    await costing.send([event('test', { user_id: 'anna' })], costing.test);
    await costing.settle();
    expect(await balance()).toEqual([{ subjectId: 'anna', held: '0', spent: '0.25', left: '0.75' }]);
    expect(await differences()).toEqual([]);
  });

  it('settles a hold once, and never the hold of another organization', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.4');
    await costing.send([event('foreign', { metadata: { hold_id: holdId } })], costing.stranger);
    await costing.settle();
    expect(await balance()).toMatchObject([{ held: '0.4' }]);
    await spend('0.1', { metadata: { hold_id: holdId } });
    await spend('0.1', { metadata: { hold_id: holdId } });
    expect(await balance()).toMatchObject([{ held: '0', spent: '0.2' }]);
  });

  it('an event that was booked before counts when the allowance is created', async () => {
    await spend('0.25', { metadata: { agent_id: 'support' } });
    await save({});
    await save({ subject: 'ORGANIZATION', subjectId: null, period: 'MONTH' });
    await save({ subject: 'AGENT', subjectId: 'support', period: 'MONTH' });
    await save({ period: 'PREPAID', amount: null });
    await save({
      period: 'PREPAID',
      amount: null,
      subject: 'ORGANIZATION',
      subjectId: null,
      countsFrom: new Date(Date.now() - 60_000).toISOString(),
    });
    await spend('0.5', { metadata: { agent_id: 'support' } });
    expect((await balance()).map(({ spent }) => spent)).toEqual(['0.75', '0.75', '0.75', '0.5', '0.75']);
    expect(await differences()).toEqual([]);
  });

  it('changes the spent amount when it is repriced and reverted', async () => {
    await setRate(costing.operator, { model: 'acme-1', provider: null, input: '100', output: '1000' });
    await save({ amount: '10' });
    await costing.send([call({ user_id: 'anna', event_invoked_at: new Date().toISOString() })]);
    await costing.settle();
    expect(await balance()).toMatchObject([{ spent: '0.2' }]);
    await setRate(costing.operator, {
      model: 'acme-1',
      provider: null,
      input: '200',
      output: '1000',
      effectiveFrom: '2020-01-01T00:00:00Z',
    });
    const period = {
      dryRun: false,
      start: new Date(Date.now() - 86_400_000).toISOString(),
      end: new Date(Date.now() + 60_000).toISOString(),
    };
    const { repricingId } = await reprice(costing.operator, period);
    expect(await balance()).toMatchObject([{ spent: '0.3' }]);
    await revertRepricing(costing.operator, repricingId!);
    expect(await balance()).toMatchObject([{ spent: '0.2' }]);
    expect(await differences()).toEqual([]);
  });

  it('changes the spent amount when a later report of the call has more tokens', async () => {
    await importCatalogue(costing.global);
    await save({ subject: 'ORGANIZATION', subjectId: null });
    const report = async (output: number) => {
      const usage = { prompt_tokens: 1_000_000, completion_tokens: output, total_tokens: 1_000_000 + output };
      const call = { id: 'chatcmpl-1', object: 'chat.completion', created, model: 'gpt-4o-mini', usage };
      await ingestProviderResponses(costing.live, { items: [call], newEventsMax: Infinity });
      await costing.settle();
    };
    const created = Math.floor(Date.now() / 1_000);
    // At OpenAI's prices of 0.15 per million input tokens and 0.60 per million output tokens.
    await report(1_000);
    expect(await balance()).toMatchObject([{ spent: '0.1506' }]);
    await report(2_000);
    expect(await balance()).toMatchObject([{ spent: '0.1512' }]);
    expect(await differences()).toEqual([]);
  });

  it('an event of a closed month counts in the period in which the ledger books it', async () => {
    const today = new Date();
    const lastMonth = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15));
    await closeCosts(costing.operator, lastMonth.toISOString().slice(0, 7));
    await save({ period: 'MONTH' });
    await spend('0.25', { event_invoked_at: lastMonth.toISOString() });
    expect(await balance()).toMatchObject([{ spent: '0.25' }]);
    expect(await differences()).toEqual([]);
    const [{ id } = { id: '' }] = (await listAllowances(costing.operator, { first: 1 })).nodes;
    await removeAllowance(costing.operator, id);
    await save({ period: 'MONTH' });
    expect(await balance()).toMatchObject([{ spent: '0.25' }]);
  });

  it.each([
    ['ORGANIZATION', null],
    ['END_USER', 'anna'],
    ['AGENT', 'triage'],
  ] as const)(
    'an event of a closed month counts once in an allowance that counts costs from that hour: %s',
    async (subject, subjectId) => {
      const today = new Date();
      const hour = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 15, 10);
      const at = (minute: number) => new Date(hour + minute * 60_000).toISOString();
      await closeCosts(costing.operator, at(0).slice(0, 7));
      await spend('0.25', { event_invoked_at: at(45), agent_id: 'triage' });
      await save({ subject, subjectId, period: 'PREPAID', amount: null, countsFrom: at(30) });
      expect(await balance()).toMatchObject([{ spent: '0.25' }]);
      expect(await differences()).toEqual([]);
    },
  );
});

describe('a hold', () => {
  it('a hold that was released or has expired reserves nothing', async () => {
    await save({ amount: '1' });
    const released = await anna('1');
    expect(await releaseHold(costing.live, released.holdId!)).toMatchObject({ state: 'RELEASED' });
    expect(await releaseHold(costing.live, released.holdId!)).toMatchObject({ state: 'RELEASED' });
    const { holdId } = await anna('1');
    await costing.rows("update hold set expires_at = now() - interval '1 second' where id = $1", [holdId]);
    expect(await balance()).toMatchObject([{ held: '0', left: '1' }]);
    expect(await answerSpendCheck(costing.live, { endUser: 'anna', amount: '1' })).toMatchObject({ allowed: true });
    const next = await anna('1');
    expect(next).toMatchObject({ allowed: true, left: '0' });
    await costing.rows("update hold set expires_at = now() - interval '1 second' where id = $1", [next.holdId]);
    const job = expireHoldsJob({ database: costing.database });
    while ((await job.step()) === 'more');
    const states = (await listHolds(costing.operator, { first: 10 })).nodes.map(({ state }) => state);
    expect(states).toEqual(['EXPIRED', 'EXPIRED', 'RELEASED']);
    await spend('0.5', { metadata: { hold_id: next.holdId } });
    expect(await balance()).toMatchObject([{ held: '0', spent: '0.5' }]);
    expect(await differences()).toEqual([]);
  });

  it('is kept for a day after it was closed', async () => {
    await save({ amount: '5' });
    for (const hours of [25, 23]) {
      const { holdId } = await anna('1');
      await releaseHold(costing.live, holdId!);
      await costing.rows("update hold set closed_at = now() - $2::int * interval '1 hour' where id = $1", [
        holdId,
        hours,
      ]);
    }
    const job = expireHoldsJob({ database: costing.database });
    while ((await job.step()) === 'more');
    expect(
      await costing.rows('select round(extract(epoch from now() - closed_at) / 3600)::int as hours from hold'),
    ).toEqual([{ hours: 23 }]);
  });

  it('is not released by a test key', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.4');
    await expect(releaseHold(costing.test, holdId!)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await balance()).toMatchObject([{ held: '0.4' }]);
  });

  it('is found by a filter, however many others come before it', async () => {
    await insertHome();
    await costing.rows(
      `insert into hold (organization_id, id, idempotency_key, request_digest, end_user_external_id, amount, state, because,
         allowance_ids, period_starts, opened_at, expires_at, closed_at)
       select home.organization_id, ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, number, '', 'anna', 1,
         case when number = 0 then 'denied' else 'released' end, 'no_allowance', '{}', '{}', now(), now(), now()
       from organization_home home cross join generate_series(0, 10000) as number where home.organization_id = $1`,
      [costing.organizationId],
    );
    for (const filter of [{ state: 'DENIED' }, { state: 'DENIED', endUser: 'anna' }] as const) {
      const first = await listHolds(costing.operator, { first: 10, filter });
      expect([first.nodes, first.pageInfo.hasNextPage]).toEqual([[], true]);
      const next = await listHolds(costing.operator, { first: 10, filter, after: first.pageInfo.endCursor });
      expect([next.nodes.map(({ idempotencyKey }) => idempotencyKey), next.pageInfo.hasNextPage]).toEqual([
        ['0'],
        false,
      ]);
    }
    expect((await listHolds(costing.operator, { first: 1, filter: { endUser: 'bert' } })).nodes).toEqual([]);
  });

  it('is deleted a day after it was closed', async () => {
    await anna('1');
    const { holdId } = await anna('1');
    await releaseHold(costing.live, holdId!);
    await costing.rows("update hold set closed_at = now() - interval '25 hours' where id = $1", [holdId]);
    await expireHoldsJob({ database: costing.database }).step();
    expect((await listHolds(costing.operator, { first: 10 })).nodes).toMatchObject([{ state: 'OPEN' }]);
  });
});

describe('a prepaid allowance', () => {
  it('has the sum of its top-ups, each of which counts once', async () => {
    const { id } = await save({ period: 'PREPAID', amount: null });
    expect(await anna('0.01')).toMatchObject({ allowed: false, left: '0' });
    const add = (amount: string, idempotencyKey: string) =>
      topUpAllowance(costing.operator, { allowanceId: id, amount, idempotencyKey });
    await add('5', 'invoice-1');
    await add('5.00', 'invoice-1');
    expect(await add('2.5', 'invoice-2')).toMatchObject({ amount: '7.5', left: '7.5' });
    await expect(add('6', 'invoice-1')).rejects.toThrow(/used for a top-up of 5 USD/);
    await spend('7');
    expect(await anna('0.5')).toMatchObject({ allowed: true, left: '0' });
    expect(await anna('0.1')).toMatchObject({ allowed: false });
    const { nodes } = await listTopUps(costing.operator, { allowanceId: id, first: 10 });
    expect(nodes.map(({ amount }) => amount)).toEqual(['2.5', '5']);
  });
});

describe('an allowance', () => {
  it.each([
    [{ amount: null }, /amount is required/],
    [{ period: 'PREPAID', amount: '1' } as const, /sum of its top-ups/],
    [{ subject: 'ORGANIZATION' } as const, /subjectId must be left out/],
    [{ subjectId: '' }, /subjectId must have 1 to 255 characters/],
    [{ countsFrom: '2999-01-01' }, /must not be in the future/],
  ])('refuses %j', async (input, message) => {
    await expect(save(input)).rejects.toThrow(message);
  });

  it('is changed under its subject and period, and records who did what without naming end users', async () => {
    const { id } = await save({ amount: '1' });
    await spend('0.5');
    expect(await save({ amount: '2' })).toMatchObject({ id, amount: '2', spent: '0.5', left: '1.5' });
    await removeAllowance(costing.operator, id);
    expect(await balance()).toEqual([]);
    const { nodes } = await listAuditRecords(costing.operator, { first: 10 });
    expect(nodes.map(({ action, detail }) => `${action}: ${detail}`)).toEqual([
      'allowance.removed: per day for an end user',
      'allowance.changed: 2 USD per day for an end user, then deny',
      'allowance.created: 1 USD per day for an end user, then deny',
    ]);
  });

  it('an allowance of an agent includes its earlier costs among many events of others', async () => {
    await spend('0.25', { metadata: { agent_id: 'support' } });
    await costing.rows('update cost_hour set completed = completed + 200000');
    const agent = { subject: 'AGENT', subjectId: 'support', period: 'MONTH' } as const;
    expect(await save(agent)).toMatchObject({ spent: '0.25' });
    await costing.rows('update cost_hour set completed = completed + 1000000');
    const countsFrom = new Date().toISOString();
    await expect(save({ ...agent, period: 'DAY', countsFrom: '2020-01-01' })).rejects.toThrow(
      /Too many events since 2020-01-01T00:00:00\.000Z.*send a later countsFrom, such as 20/,
    );
    expect(await save({ ...agent, period: 'DAY', countsFrom })).toMatchObject({ amount: '1' });
  });

  it('keeps its days and months for 400 days', async () => {
    const { id } = await save({ amount: '1' });
    await insertHome();
    await costing.rows(
      `insert into allowance_period (organization_id, allowance_id, period_start, held, open_holds, spent)
       select home.organization_id, $2::uuid, start, 0, 0, 1 from organization_home home cross join unnest(array['epoch', now() - interval '401 days', now() - interval '399 days 12 hours']) as start
       where home.organization_id = $1`,
      [costing.organizationId, id],
    );
    const job = expireHoldsJob({ database: costing.database });
    while ((await job.step()) === 'more');
    const kept = await costing.rows<{ days: number }>(
      'select extract(days from now() - period_start)::int as days from allowance_period order by 1 desc',
    );
    expect(kept.map(({ days }) => days)).toEqual([expect.any(Number), 399, 0]);
  });

  it('is listed if a given percentage of it is used', async () => {
    await save({ amount: '1' });
    await save({ subjectId: 'bert', amount: '1' });
    await spend('0.8');
    const { nodes } = await listAllowances(costing.operator, { first: 10, filter: { usedPercent: 80 } });
    expect(nodes).toMatchObject([{ subjectId: 'anna', usedPercent: 80 }]);
    expect((await listAllowances(costing.operator, { first: 10, filter: { usedPercent: 81 } })).nodes).toEqual([]);
  });

  it('keeps its figures when its end user is erased', async () => {
    await save({ amount: '1' });
    const { holdId } = await anna('0.4', { key: 'call-of-anna' });
    await spend('0.1');
    await eraseEndUser(costing.operator, { externalId: 'anna', keepDimensions: [], limit: 100 });
    const [erased] = await balance();
    expect(erased).toMatchObject({ held: '0.4', spent: '0.1' });
    expect(erased!.subjectId).toMatch(/^erased-/);
    expect(JSON.stringify(await costing.rows('select * from hold'))).not.toContain('anna');
    expect(await anna('5')).toMatchObject({ because: 'NO_ALLOWANCE' });
    expect(await releaseHold(costing.live, holdId!)).toMatchObject({ state: 'RELEASED' });
    expect(await differences()).toEqual([]);
  });

  it('counts costs of its end user while an erasure is in progress', async () => {
    const rate = (input: string, effectiveFrom: string | null) =>
      setRate(costing.operator, { model: 'acme-1', provider: null, input, output: '1000', effectiveFrom });
    await rate('100', '2020-01-01T00:00:00Z');
    await save({ amount: '10', period: 'MONTH', countsFrom: '2020-01-01' });
    await save({ amount: '10', period: 'DAY', subject: 'AGENT', subjectId: 'anna' });
    await costing.send([call({ user_id: 'anna' }), call({ user_id: 'anna' })]);
    await costing.settle();
    const erase = (limit: number) => eraseEndUser(costing.operator, { externalId: 'anna', keepDimensions: [], limit });
    expect(await erase(1)).toMatchObject({ events: 1, finishedAt: null });
    await rate('200', '2020-01-01T00:00:00Z');
    const now = Date.now();
    const period = { start: new Date(now - 86_400_000).toISOString(), end: new Date(now + 60_000).toISOString() };
    await reprice(costing.operator, { ...period, dryRun: false });
    expect(await balance()).toMatchObject([{ subjectId: 'anna', spent: '0.6' }, { spent: '0' }]);
    await expect(save({ amount: '1' })).rejects.toThrow(/is being erased/);
    while ((await erase(1)).finishedAt === null);
    expect(await balance()).toMatchObject([{ subjectId: expect.stringMatching(/^erased-/), spent: '0.6' }, {}]);
    expect(await differences()).toEqual([]);
    expect(await save({ amount: '1' })).toMatchObject({ spent: '0' });
  });
});

describe('verification', () => {
  it('finds a lost cost and a lost hold', async () => {
    await save({ amount: '5' });
    await anna('1');
    await spend('1');
    expect(await differences()).toEqual([]);
    await costing.rows('update allowance_period set spent = spent - 0.1');
    expect(await differences()).toEqual([expect.stringMatching(/0\.9\d* spent, 1\.0+ in the ledger/)]);
    await costing.rows('update allowance_period set spent = spent + 0.1, held = held - 1');
    expect(await differences()).toEqual([expect.stringMatching(/0\.0+ held by 1 holds, 1\.0+ in 1 open holds/)]);
  });
});
