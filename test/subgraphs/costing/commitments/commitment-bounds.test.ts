/** The first and the last instant that count for a commitment, and what was known at an instant. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import { computeCommitments } from '../../../../subgraphs/costing/commitments/compute-commitments.step.ts';
import { listCommitments } from '../../../../subgraphs/costing/commitments/list-commitments.operation.ts';
import { saveCommitment } from '../../../../subgraphs/costing/commitments/save-commitment.operation.ts';
import type { CommitmentSaveInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { type Costing, event, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10' });
});
afterEach(() => costing.close());

const save = (more: Partial<CommitmentSaveInput> = {}) =>
  saveCommitment(costing.operator, {
    ...{ provider: 'OpenAI', name: 'Enterprise', amount: '10', currency: 'USD', period: 'MONTH' as const },
    ...{ from: '2026-03-01', until: '2026-04-01', ...more },
  });
const compute = async () => {
  while (await computeCommitments(costing.database, costing.organizationId));
};
const day = (at: Date) => at.toISOString().slice(0, 10);

it('a period is the current one from its first day until the day before its last', async () => {
  const today = new Date(day(new Date()));
  const periodOf = async (from: Date, until: Date) =>
    (await save({ period: 'TERM', from: day(from), until: day(until) })).current?.from ?? null;
  const tomorrow = new Date(today.getTime() + 86_400_000);
  expect(await periodOf(today, tomorrow)).toBe(day(today));
  expect(await periodOf(addMonths(today, -1), today)).toBeNull();
  expect(await periodOf(tomorrow, addMonths(today, 1))).toBeNull();
  expect((await save({ from: day(today), until: null })).periods).toHaveLength(1);
});

it('a change replaces every term of a commitment, in both directions', async () => {
  await setRate(costing.global, { model: 'claude-x', provider: 'anthropic', input: '1', output: '1' });
  const terms = {
    ...{ name: 'Other', provider: 'anthropic', models: ['claude-*'], amount: '20' },
    ...{ period: 'QUARTER' as const, from: '2026-02-01', until: '2026-08-01' },
  };
  const first = { ...terms, ...{ name: 'Enterprise', provider: 'openai', models: null, amount: '10' } };
  const { id } = await save({ ...first, period: 'MONTH', from: '2026-03-01', until: null });
  const stored = async () => {
    const [{ name, provider, models, amount, period, from, until } = {} as never] = await listCommitments(
      costing.operator,
    );
    return { name, provider, models, amount: plain(amount), period, from, until };
  };
  await save({ ...terms, id });
  expect(await stored()).toEqual(terms);
  await save({ ...first, id, period: 'MONTH', from: '2026-03-01', until: null });
  expect(await stored()).toEqual({ ...first, period: 'MONTH', from: '2026-03-01', until: null });
});

it('costs count from the first instant of a period until the last, each once', async () => {
  const use = (at: string, cost: string) =>
    event(at, { model: 'gpt-4o', provider: 'openai', cost_override: cost, event_invoked_at: at });
  await costing.send([
    ...[use('2026-02-28T23:59:59.999Z', '1'), use('2026-03-01T00:00:00Z', '0.1')],
    ...[use('2026-03-31T23:59:59.999Z', '0.01'), use('2026-04-01T00:00:00Z', '0.001')],
    use('2026-04-30T23:59:59.999Z', '0.0001'),
  ]);
  await costing.settle();
  await save({ until: '2026-05-01' });
  await save({ until: '2026-04-01', name: 'March' });
  await compute();
  const spent = (await listCommitments(costing.operator)).map(({ name, periods }) => [
    name,
    ...periods.map((period) => plain(period.spent)),
  ]);
  expect(spent.toSorted()).toEqual([
    ['Enterprise', '0.0011', '0.11'],
    ['March', '0.11'],
  ]);
});

it('a commitment as of an instant includes what was computed until then, including at that instant', async () => {
  await costing.send([
    event('one', { model: 'gpt-4o', provider: 'openai', cost_override: '4', event_invoked_at: '2026-03-02T00:00:00Z' }),
  ]);
  await costing.settle();
  await save();
  await compute();
  await costing.rows("update commitment_entry set recorded_at = '2026-05-01T00:00:00.500Z'");
  const spentAt = async (asOf: string) =>
    (await listCommitments(costing.operator, asOf))[0]!.periods.map((period) => plain(period.spent));
  expect(await spentAt('2026-05-01T00:00:00.499Z')).toEqual(['0']);
  expect(await spentAt('2026-05-01T00:00:00.500Z')).toEqual(['4']);
});

it('a commitment as of a past instant has no forecast', async () => {
  const dayAt = (days: number) => day(new Date(Date.now() + days * 86_400_000));
  const use = { model: 'gpt-4o', provider: 'openai', cost_override: '1', event_invoked_at: `${dayAt(-5)}T00:00:00Z` };
  await costing.send([event('one', use)]);
  await costing.settle();
  await save({ period: 'TERM', from: dayAt(-7), until: dayAt(30) });
  await compute();
  const currentAt = async (asOf: string | null) => (await listCommitments(costing.operator, asOf))[0]!.current!;
  expect((await currentAt(null)).forecast).not.toBeNull();
  const known = await currentAt(new Date(Date.now() + 1_000).toISOString());
  expect([plain(known.spent), known.forecast]).toEqual(['1', null]);
});
