/** Which events a repricing reaches, which of its changes can be reverted, and which period it names. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { cancelOperation } from '../../../../subgraphs/costing/operations/cancel-operation.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { listRepricedPeriods } from '../../../../subgraphs/costing/repricing/list-repriced-periods.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { startRepricing } from '../../../../subgraphs/costing/repricing/start-repricing.operation.ts';
import { ingestProviderResponses } from '../../../../subgraphs/costing/telemetry/ingest-provider-responses.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
});
afterEach(() => costing.close());

const rate = (input: string, output: string | null = '0') =>
  setRate(costing.global, { model: 'acme-1', provider: null, input, output, effectiveFrom: '2020-01-01' });
const send = async (at: string, more: object = {}, context = costing.live) => {
  const [id = ''] = await costing.send([call({ event_invoked_at: `2026-03-${at}Z`, ...more })], context);
  await costing.settle();
  return id;
};
const march = (from: string, until: string) => ({ start: `2026-03-${from}Z`, end: `2026-03-${until}Z` });
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);

describe('a repricing', () => {
  it('reprices live events from its start, inclusive, to its end, exclusive; a dry run counts the same events', async () => {
    await rate('1');
    await send('10T11:59:59.999999');
    const first = await send('10T12:00:00');
    const last = await send('10T12:59:59.999999');
    await send('10T13:00:00');
    await send('10T12:30:00', {}, costing.test);
    await rate('2');
    const period = march('10T12:00:00', '10T13:00:00');
    expect(await reprice(costing.operator, { ...period, dryRun: true })).toMatchObject({ events: 2, keptEvents: 0 });
    expect(await reprice(costing.operator, { ...period, dryRun: false })).toMatchObject({ events: 2 });
    const repriced = Object.entries(await costing.costs()).filter(([, cost]) => cost === '0.002');
    expect(repriced.map(([id]) => id).toSorted()).toEqual([first, last].toSorted());
    expect(await differences()).toEqual([]);
  });

  it('a repricing of a model reprices events that name it, and events that its card priced', async () => {
    await rate('1');
    await send('10T12:00:00', { model: 'acme-1-2026-01-01' });
    await send('10T12:00:00', { model: 'acme-1' });
    await rate('2');
    const events = async (model: string) =>
      (await reprice(costing.operator, { ...march('10T00:00:00', '11T00:00:00'), model, dryRun: true })).events;
    expect([await events('acme-1-2026-01-01'), await events('acme-1'), await events('acme')]).toEqual([1, 2, 0]);
  });

  it('keeps the cost of events that the card does not price any more, and counts them', async () => {
    await rate('1', '1');
    const id = await send('10T12:00:00');
    await rate('2', null);
    const period = march('10T00:00:00', '11T00:00:00');
    expect(await reprice(costing.operator, { ...period, dryRun: true })).toMatchObject({ events: 0, keptEvents: 1 });
    expect(await reprice(costing.operator, { ...period, dryRun: false })).toMatchObject({ events: 0 });
    expect(await costing.costs()).toEqual({ [id]: '0.0011' });
  });

  it('is listed for windows that it overlaps, once it has finished', async () => {
    await rate('1');
    await send('10T12:00:00');
    const listed = async (from: string, until: string) =>
      (await listRepricedPeriods(costing.operator, march(from, until))).length;
    const period = march('10T12:00:00', '10T13:00:00');
    const { id } = await startRepricing(costing.operator, period);
    expect(await listed('01T00:00:00', '20T00:00:00')).toBe(0);
    await cancelOperation(costing.operator, id);
    await reprice(costing.operator, { ...period, dryRun: false });
    expect(await listed('01T00:00:00', '20T00:00:00')).toBe(1);
    expect(await listed('10T11:00:00', '10T12:00:00')).toBe(0);
    expect(await listed('10T11:00:00', '10T12:00:00.000001')).toBe(1);
    expect(await listed('10T12:59:59.999999', '11T00:00:00')).toBe(1);
    expect(await listed('10T13:00:00', '11T00:00:00')).toBe(0);
  });
});

describe('a revert', () => {
  const report = async (output: number) => {
    const usage = { prompt_tokens: 1_000, completion_tokens: output, total_tokens: 1_000 + output };
    const created = Date.parse('2026-03-10T12:00:00Z') / 1_000;
    const item = { id: 'chatcmpl-1', object: 'chat.completion', created, model: 'acme-1', usage };
    await ingestProviderResponses(costing.live, { items: [item], newEventsMax: Infinity });
    await costing.settle();
  };

  it('is possible after a later report of a call, and leaves the cost of that report', async () => {
    await rate('1', '1');
    await report(1_000);
    const other = await send('10T12:00:00', { output_tokens: 0 });
    await rate('2', '1');
    const { repricingId } = await reprice(costing.operator, {
      ...march('10T00:00:00', '11T00:00:00'),
      dryRun: false,
    });
    await report(2_000);
    const { [other]: repriced, ...reported } = await costing.costs();
    expect([repriced, ...Object.values(reported)]).toEqual(['0.002', '0.004']);
    const { events, difference } = await revertRepricing(costing.operator, repricingId!);
    expect([events, plain(difference)]).toEqual([1, '-0.001']);
    const { [other]: reverted, ...left } = await costing.costs();
    expect([reverted, ...Object.values(left)]).toEqual(['0.001', '0.004']);
    expect(await differences()).toEqual([]);
  });

  it('a revert of a cancelled repricing ends it: the same request begins another one', async () => {
    await rate('1');
    await send('10T12:00:00');
    await rate('2');
    const period = march('10T00:00:00', '11T00:00:00');
    const { id } = await startRepricing(costing.operator, period);
    await cancelOperation(costing.operator, id);
    await revertRepricing(costing.operator, id);
    const again = await startRepricing(costing.operator, period);
    expect(again.id).not.toBe(id);
  });
});
