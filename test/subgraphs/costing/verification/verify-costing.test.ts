import { afterEach, beforeEach, expect, it } from 'vitest';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';

let pricing: Costing;
beforeEach(async () => {
  pricing = await startCosting();
  await setRate(pricing.global, { model: 'acme-1', input: '1', output: '1' });
  await pricing.send([...calls(5), ...calls(3, { model: 'unknown' })]);
  await pricing.send(calls(2), pricing.test);
  await pricing.settle();
  await pricing.send([...calls(2), ...calls(2, { event_invoked_at: '2026-03-01T00:00:00Z' })]);
});
afterEach(() => pricing.close());

const wrong = async () =>
  (await verifyCosting(pricing.operator))
    .filter(({ differences }) => differences.length > 0)
    .map(({ check }) => check.replace(/[,:].*/, ''));

it('verification finds no error in correct books, with events in every state', async () => {
  expect(await wrong()).toEqual([]);
});

it.each([
  ['a counter that lost an event', 'update cost_hour set completed = completed - 1', ['hour counters = ledger']],
  ['a counter that lost a cost', 'update cost_hour set total_cost = 0', ['hour counters = ledger']],
  ['a counter of waiting events', 'update cost_hour set pending_rate_card = 0', ['hour counters = waiting list']],
  ['a counter of tokens', 'update cost_hour set quantity = quantity + 1', ['hour counters = events']],
  ['a job that was lost', 'delete from pricing_job', ['hour counters = events', 'every event is in exactly one state']],
  [
    'an entry whose lines do not add up',
    'update cost_entry set total_cost = total_cost + 1 where not livemode',
    ['entries = costs'],
  ],
  ['an entry that is missing', 'delete from cost_entry where not livemode', ['every event is in exactly one state']],
])('verification finds %s', async (_, sabotage, checks) => {
  await pricing.rows(sabotage);
  expect(await wrong()).toEqual(checks);
  expect(await wrongInParts(['2026-03-01', '2026-03-02'])).toEqual(new Set(checks));
});

/**
 * Verifies a large organization in parts, as an operator's command does: before the first of the given days, between
 * them, after the last one, and the rest.
 */
async function wrongInParts(days: readonly string[]): Promise<Set<string>> {
  const ends = [null, ...days, null];
  const ranges = ends.slice(1).map((until, index) => ({ part: 'DAYS' as const, from: ends[index] ?? null, until }));
  const parts = [...ranges, { part: 'REST' as const }];
  const found = (await Promise.all(parts.map((part) => verifyCosting(pricing.operator, part)))).flat();
  const whole = await verifyCosting(pricing.operator);
  const checked = (checks: typeof whole, name: string) =>
    checks.filter(({ check }) => check === name).reduce((sum, each) => sum + each.checked, 0);
  for (const { check } of whole) expect([check, checked(found, check)]).toEqual([check, checked(whole, check)]);
  return new Set(
    found.filter(({ differences }) => differences.length > 0).map(({ check }) => check.replace(/[,:].*/, '')),
  );
}

it('verification checks each event once even if it checks a few days at a time', async () => {
  expect(await wrongInParts(['2026-03-01'])).toEqual(new Set());
  await expect(verifyCosting(pricing.operator, { part: 'DAYS', from: '2026-02-30' })).rejects.toThrow('from must be');
});
