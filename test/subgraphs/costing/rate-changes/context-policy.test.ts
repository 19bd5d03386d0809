/**
 * A context without a price on the card waits, or is priced without it and flagged: the organization chooses, and may
 * change its choice.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { countEventsAtBase } from '../../../../subgraphs/costing/ledger/count-events-at-base.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { getCostingHealth } from '../../../../subgraphs/costing/ledger/get-costing-health.operation.ts';
import { getUsagePrice } from '../../../../subgraphs/costing/pricing/get-usage-price.operation.ts';
import { getContextPolicy } from '../../../../subgraphs/costing/rate-changes/get-context-policy.operation.ts';
import { setContextPolicy } from '../../../../subgraphs/costing/rate-changes/set-context-policy.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

const PERIOD = { start: '2020-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z' };
const HOUSE = { model: 'house', provider: 'openai', input: '1', output: '2' };
const flex = (more: object = {}) => call({ model: 'house', provider: 'openai', service_tier: 'flex', ...more });

let costing: Costing;
beforeAll(async () => {
  costing = await startCosting();
  await setRate(costing.global, HOUSE);
});
afterAll(() => costing.close());

const atBase = () => countEventsAtBase(costing.live, parseWindow(PERIOD));
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);
const stateOf = async (id: string) => {
  const { status, entries } = await explainCost(costing.live, id, null);
  return [status, (await costing.costs())[id], entries.at(-1)?.unknownContext];
};

describe('an organization’s policy', () => {
  let waiting: string;
  let theirs: string;

  it('is that events wait, until it chooses', async () => {
    expect(await getContextPolicy(costing.live)).toEqual({ unknownContext: 'WAIT', changedAt: null });
    [waiting = ''] = await costing.send([flex()]);
    [theirs = ''] = await costing.send([flex()], costing.stranger);
    await costing.settle();
    expect(await stateOf(waiting)).toEqual(['PENDING_RATE_CARD', undefined, undefined]);
  });

  it('prices waiting events without the context, flags them, and says so in the explanation', async () => {
    expect(await setContextPolicy(costing.operator, 'BASE')).toMatchObject({ requeuedEvents: 1 });
    await costing.settle();
    expect(await getContextPolicy(costing.live)).toEqual({ unknownContext: 'BASE', changedAt: expect.any(Date) });
    const { totalCost, entries } = await explainCost(costing.live, waiting, null);
    expect([totalCost?.toString(), entries[0]?.pricingContext, entries[0]?.unknownContext]).toEqual([
      '0.0012',
      'tier=flex',
      'tier=flex',
    ]);
    expect(entries[0]?.lines.map(({ why }) => why)).toEqual(
      Array(2).fill('the base rate; the rate card has no price for tier=flex, which the organization chose to ignore'),
    );
    expect(await atBase()).toBe(1);
    expect((await getCostingHealth(costing.live, 30)).atBase).toMatchObject([
      { provider: 'openai', model: 'house', unknownContext: 'tier=flex', events: 1, exampleEventId: waiting },
    ]);
    expect(await differences()).toEqual([]);
    expect((await listAuditRecords(costing.operator, { first: 1 })).nodes[0]).toMatchObject({
      action: 'context_policy.set',
      actor: 'OPERATOR',
      detail: 'unknown contexts are priced at base',
    });
  });

  it('applies to later events, test events and price queries, and to no other organization', async () => {
    const [id = ''] = await costing.send([flex()]);
    const [ofTest = ''] = await costing.send([flex()], costing.test);
    await costing.settle();
    expect(await stateOf(id)).toEqual(['COMPLETED', '0.0012', 'tier=flex']);
    expect((await costing.costs())[ofTest]).toBe('0.0012');
    const query = { model: 'house', provider: 'openai', usage: { input_tokens: 1_000, service_tier: 'flex' } };
    expect(await getUsagePrice(costing.live, query)).toMatchObject({
      status: 'completed',
      pricingContext: 'tier=flex',
      unknownContext: 'tier=flex',
    });
    for (const other of [costing.stranger, costing.global])
      expect(await getUsagePrice(other, query)).toMatchObject({ status: 'pending_rate_card', unknownContext: null });
    expect(await getContextPolicy(costing.stranger)).toEqual({ unknownContext: 'WAIT', changedAt: null });
    expect((await explainCost(costing.stranger, theirs, null)).status).toBe('PENDING_RATE_CARD');
    expect((await getCostingHealth(costing.stranger, 30)).atBase).toEqual([]);
    expect(await atBase()).toBe(2);
  });

  it('an organization’s policy that is reverted changes no booked cost; a dry run shows how many events would wait', async () => {
    expect(await setContextPolicy(costing.operator, 'WAIT')).toMatchObject({ requeuedEvents: 0 });
    const [late = ''] = await costing.send([flex()]);
    await costing.settle();
    expect(await stateOf(late)).toEqual(['PENDING_RATE_CARD', undefined, undefined]);
    expect(await stateOf(waiting)).toEqual(['COMPLETED', '0.0012', 'tier=flex']);
    expect(await reprice(costing.operator, { ...PERIOD, dryRun: true })).toMatchObject({ events: 0, keptEvents: 2 });
    expect(await reprice(costing.operator, { ...PERIOD, dryRun: false })).toMatchObject({
      events: 0,
      keptEvents: null,
    });
    expect(await stateOf(waiting)).toEqual(['COMPLETED', '0.0012', 'tier=flex']);
  });

  it('turns an event that still waits into an error of the verification', async () => {
    await costing.rows(
      `insert into context_policy (organization_id, unknown_context, changed_at) values ($1, 'base', now())
       on conflict (organization_id) do update set unknown_context = 'base'`,
      [costing.organizationId],
    );
    await costing.rows('update rate_generation set xid = pg_current_xact_id() where organization_id = $1', [
      costing.organizationId,
    ]);
    expect(await differences()).toEqual([
      expect.stringContaining('1 events of house wait although a card prices them'),
    ]);
    await setContextPolicy(costing.operator, 'BASE');
    await costing.settle();
    expect(await differences()).toEqual([]);
  });

  it('has no effect once the context has a rate: a repricing makes the cost exact, and its revert flags it again', async () => {
    await setRate(costing.operator, {
      ...HOUSE,
      contexts: [{ context: 'tier=flex', factor: '0.5' }],
      effectiveFrom: '2020-01-01',
    });
    expect(await reprice(costing.operator, { ...PERIOD, dryRun: true })).toMatchObject({ events: 3, keptEvents: 0 });
    expect(await atBase()).toBe(3);
    const { repricingId } = await reprice(costing.operator, { ...PERIOD, dryRun: false });
    expect(await stateOf(waiting)).toEqual(['COMPLETED', '0.0006', null]);
    expect([await atBase(), (await getCostingHealth(costing.live, 30)).atBase]).toEqual([0, []]);
    await revertRepricing(costing.operator, repricingId!);
    expect(await atBase()).toBe(3);
    expect(await differences()).toEqual([]);
  });

  it('needs an organization', async () => {
    await expect(setContextPolicy(costing.global, 'BASE')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

it('a price per unit may have contexts too, and an event in an unknown context waits', async () => {
  const batch = { context: 'tier=batch', factor: '0.5' };
  await setRate(costing.global, { model: 'pages', provider: 'openai', unitPrice: '0.004', contexts: [batch] });
  const paged = (tier: string) => call({ model: 'pages', provider: 'openai', units: 3, service_tier: tier });
  const [plain = '', batched = '', flexible = ''] = await costing.send(
    ['default', 'batch', 'flex'].map(paged),
    costing.stranger,
  );
  await costing.settle();
  const explained = async (id: string) => {
    const { totalCost, reason, entries } = await explainCost(costing.stranger, id, null);
    return [totalCost?.toString() ?? reason, entries[0]?.pricingContext, entries[0]?.lines[0]?.why];
  };
  expect(await explained(plain)).toEqual(['0.012', '', null]);
  expect(await explained(batched)).toEqual(['0.006', 'tier=batch', 'tier=batch: times 0.5 (set by hand)']);
  expect((await explained(flexible))[0]).toBe('unknown_context: the rate card has no price for tier=flex');
  await expect(
    setRate(costing.global, { model: 'pages', unitPrice: '1', contexts: [{ ...batch, class: 'input' }] }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
