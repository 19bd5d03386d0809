/** Commitments in a database: settled days, late events, closed months, crashes, and what verification finds. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { computeCommitmentsJob } from '../../../../subgraphs/costing/commitments/compute-commitments.job.ts';
import { computeCommitments } from '../../../../subgraphs/costing/commitments/compute-commitments.step.ts';
import { getShortfalls } from '../../../../subgraphs/costing/commitments/get-shortfalls.operation.ts';
import { listCommitments } from '../../../../subgraphs/costing/commitments/list-commitments.operation.ts';
import { proposeCommitment } from '../../../../subgraphs/costing/commitments/propose-commitment.operation.ts';
import { removeCommitment } from '../../../../subgraphs/costing/commitments/remove-commitment.operation.ts';
import { saveCommitment } from '../../../../subgraphs/costing/commitments/save-commitment.operation.ts';
import { endFixedCost } from '../../../../subgraphs/costing/fixed-costs/end-fixed-cost.operation.ts';
import { saveFixedCost } from '../../../../subgraphs/costing/fixed-costs/save-fixed-cost.operation.ts';
import { closeCosts } from '../../../../subgraphs/costing/ledger/close-costs.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import type { CommitmentSaveInput, FixedCostSaveInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { runs } from '../../../support/property-runs.ts';
import { call, type Costing, log, startCosting } from '../costing-builder.ts';

let costing: Costing;
/** 2.50 USD per million input tokens, 10 USD per million output tokens. */
const rate = { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10', effectiveFrom: '2020-01-01' };
beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, rate);
});
afterEach(() => costing.close());

const monthly: CommitmentSaveInput = {
  provider: 'OpenAI',
  name: 'Enterprise',
  amount: '10',
  currency: 'USD',
  period: 'MONTH',
  from: '2026-03-01',
  until: '2026-05-01',
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
const compute = async () => {
  const job = computeCommitmentsJob({ database: costing.database, log });
  while ((await job.step()) === 'more');
};
/** A day that was read is read again after an hour at the earliest. */
const computeAnHourLater = async () => {
  await costing.rows("update commitment_day set read_at = '2020-01-01'");
  await compute();
};
/** Pays for calls of `gpt-4o` from 3 to 9 March, whatever their token price. */
const throughput: FixedCostSaveInput = {
  key: 'ptu',
  name: 'Provisioned throughput',
  driver: 'NONE',
  replacesModelCost: true,
  scope: { models: ['gpt-*'] },
  periods: [{ from: '2026-03-03', until: '2026-03-10', amount: '100', currency: 'USD', per: 'DAY', quantity: '1' }],
};
const save = (more: Partial<CommitmentSaveInput> = {}) => saveCommitment(costing.operator, { ...monthly, ...more });
type View = Awaited<ReturnType<typeof listCommitments>>[number];
/** `first day: spent left shortfall`, oldest first. */
const periodsOf = ({ periods }: Pick<View, 'periods'>) =>
  periods
    .toReversed()
    .map(({ from, spent, left, shortfall }) => `${from}: ${[spent, left, shortfall].map(plain).join(' ')}`);
const periods = async (context = costing.operator, asOf: string | null = null) =>
  (await listCommitments(context, asOf)).flatMap(periodsOf);
const shortfalls = async (start: string, end: string) => {
  const { total, lines } = await getShortfalls(costing.operator, parseWindow({ start, end }));
  return [plain(total), ...lines.map(({ kind, name, amount }) => `${kind} ${name} ${plain(amount)}`)];
};
const texts = async () =>
  (
    await costing.rows<{ text: string }>(
      `select concat_ws(' ', day, revision, cause, booked_day, trim_scale(amount)) as text from commitment_entry order by day, revision, cause`,
    )
  ).map(({ text }) => text);
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);

describe('a commitment', () => {
  it('counts contracted costs by day, and books a shortfall at the end of a period; costs do not change', async () => {
    await send([callOn('2026-02-27'), callOn('2026-03-02'), callOn('2026-03-02'), callOn('2026-03-31')]);
    await send([callOn('2026-04-01'), callOn('2026-05-01')]);
    await send([callOn('2026-03-03')], costing.test);
    await send([callOn('2026-03-03')], costing.stranger);
    const before = await costing.costs();
    await save();
    expect(await periods()).toEqual(['2026-03-01: 0 10 0', '2026-04-01: 0 10 0']);
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 10.5 0 0', '2026-04-01: 3.5 0 6.5']);
    expect((await listCommitments(costing.operator))[0]).toMatchObject({
      current: null,
      periods: [{ fulfilledOn: null }, { fulfilledOn: '2026-03-31' }],
    });
    expect(await texts()).toEqual([
      '2026-03-02 1 spend 2026-03-02 7',
      '2026-03-31 1 spend 2026-03-31 3.5',
      '2026-04-01 1 spend 2026-04-01 3.5',
      '2026-04-30 1 shortfall 2026-04-30 6.5',
    ]);
    expect(await shortfalls('2026-03-01', '2026-04-30')).toEqual(['0']);
    expect(await shortfalls('2026-04-30', '2026-05-01')).toEqual(['6.5', 'COMMITMENT Enterprise 6.5']);
    await compute();
    expect(await texts()).toHaveLength(4);
    expect(await costing.costs()).toEqual(before);
    expect(await periods(costing.stranger)).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('counts only the models that it selects', async () => {
    await send([callOn('2026-03-02'), callOn('2026-03-03', { model: 'gpt-4o-mini', cost_override: '0.4' })]);
    await save({ models: ['GPT-4o'], until: '2026-04-01' });
    await save({ models: ['gpt-*', 'o3'], until: '2026-04-01', name: 'All' });
    await save({ models: ['o3'], until: '2026-04-01', name: 'Other' });
    await compute();
    expect((await periods()).toSorted()).toEqual([
      '2026-03-01: 0 0 10',
      '2026-03-01: 3.5 0 6.5',
      '2026-03-01: 3.9 0 6.1',
    ]);
    expect(await differences()).toEqual([]);
  });

  it('follows late events and repricings as if they had happened in time, and keeps what was known before', async () => {
    await save();
    await send([callOn('2026-03-02'), callOn('2026-04-04')]);
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 3.5 0 6.5', '2026-04-01: 3.5 0 6.5']);
    const known = new Date(Date.now() + 1).toISOString();
    await send([callOn('2026-03-01'), callOn('2026-03-05')]);
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 3.5 0 6.5', '2026-04-01: 3.5 0 6.5']);
    await computeAnHourLater();
    expect(await periods()).toEqual(['2026-03-01: 10.5 0 0', '2026-04-01: 3.5 0 6.5']);
    expect((await texts()).filter((text) => text.includes(' 2 '))).toEqual([
      '2026-03-01 2 spend 2026-03-01 3.5',
      '2026-03-05 2 spend 2026-03-05 3.5',
      '2026-03-31 2 shortfall 2026-03-31 -6.5',
    ]);
    await setRate(costing.global, { ...rate, input: '0.5', effectiveFrom: '2026-02-01' });
    await reprice(costing.operator, { start: '2026-03-01', end: '2026-05-01', dryRun: false });
    await costing.settle();
    await computeAnHourLater();
    // 1.50 each.
    expect(await periods()).toEqual(['2026-03-01: 4.5 0 5.5', '2026-04-01: 1.5 0 8.5']);
    expect(await periods(costing.operator, known)).toEqual(['2026-03-01: 3.5 0 6.5', '2026-04-01: 3.5 0 6.5']);
    expect(await differences()).toEqual([]);
  });

  it('books a day that was read twice before its entries were computed', async () => {
    await save({ until: '2026-04-01' });
    await compute();
    const readAgain = async () => {
      await costing.rows("update commitment_day set read_at = '2020-01-01'");
      expect(await computeCommitments(costing.database, costing.organizationId)).toBe(true);
    };
    await send([callOn('2026-03-02')]);
    await readAgain();
    // Changes the counters of the day, but not what the commitment counts.
    await send([callOn('2026-03-02', { model: 'claude-x', provider: 'anthropic', cost_override: '1' })]);
    await readAgain();
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 3.5 0 6.5']);
    expect(await differences()).toEqual([]);
  });

  it('is booked in the open month if it is entered after its months were closed', async () => {
    await send([callOn('2026-03-02')]);
    await closeCosts(costing.operator, '2026-04');
    await save({ until: '2026-04-01' });
    await compute();
    expect(await texts()).toEqual(['2026-03-02 1 spend 2026-05-01 3.5', '2026-03-31 1 shortfall 2026-05-01 6.5']);
    expect(await shortfalls('2026-03-01', '2026-05-01')).toEqual(['0']);
    expect(await shortfalls('2026-05-01', '2026-06-01')).toEqual(['6.5', 'COMMITMENT Enterprise 6.5']);
  });

  it('does not count calls that a fixed cost replaces, whenever the fixed cost is entered or ends', async () => {
    const ada = { user_id: 'ada', agent_id: 'triage' };
    const calls = ['02', '03', '09', '10'].map((date) => callOn(`2026-03-${date}`, ada));
    await send([...calls, callOn('2026-03-04', { model: 'o3', cost_override: '0.25' })]);
    await save({ until: '2026-04-01' });
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 14.25 0 0']);
    await saveFixedCost(costing.operator, throughput);
    expect(periodsOf(await proposeCommitment(costing.operator, { ...monthly, until: '2026-04-01' }))).toEqual([
      '2026-03-01: 7.25 0 2.75',
    ]);
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 7.25 0 2.75']);
    expect(await shortfalls('2026-03-31', '2026-04-01')).toEqual(['2.75', 'COMMITMENT Enterprise 2.75']);
    expect(await differences()).toEqual([]);
    for (const [scope, spent] of [
      [{ endUsers: ['ben'] }, '14.25 0 0'],
      [{ endUsers: ['ada', 'ben'] }, '7.25 0 2.75'],
      [{ dimensions: [{ key: 'agent_id', values: ['other'] }] }, '14.25 0 0'],
      [{ dimensions: [{ key: 'agent_id', values: ['other', 'triage'] }], models: ['gpt-4o'] }, '7.25 0 2.75'],
      [{}, '7 0 3'],
    ] as const) {
      const named = {
        ...('endUsers' in scope && { endUsers: [...scope.endUsers] }),
        ...('models' in scope && { models: [...scope.models] }),
        ...('dimensions' in scope && {
          dimensions: scope.dimensions.map(({ key, values }) => ({ key, values: [...values] })),
        }),
      };
      await saveFixedCost(costing.operator, { ...throughput, scope: named });
      await compute();
      expect([scope, await periods()]).toEqual([scope, [`2026-03-01: ${spent}`]]);
      expect(await differences()).toEqual([]);
    }
    await endFixedCost(costing.operator, { key: 'ptu', until: '2026-03-04' });
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 10.75 0 0']);
    await saveFixedCost(costing.operator, { ...throughput, replacesModelCost: false });
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 14.25 0 0']);
    expect(await differences()).toEqual([]);
  });

  it('is previewed exactly, changed, and removed with opposite entries', async () => {
    await send([callOn('2026-03-02'), callOn('2026-04-02', { model: 'o3', cost_override: '2' })]);
    expect(periodsOf(await proposeCommitment(costing.operator, monthly))).toEqual([
      '2026-03-01: 3.5 0 6.5',
      '2026-04-01: 2 0 8',
    ]);
    expect(await periods()).toEqual([]);
    const { id } = await save();
    await compute();
    const changed = { ...monthly, id, amount: '20', models: ['gpt-*'] };
    const expected = ['2026-03-01: 3.5 0 16.5', '2026-04-01: 0 0 20'];
    expect(periodsOf(await proposeCommitment(costing.operator, changed))).toEqual(expected);
    await save(changed);
    await compute();
    expect(await periods()).toEqual(expected);
    await removeCommitment(costing.operator, id);
    await compute();
    expect(await periods()).toEqual([]);
    expect(await shortfalls('2026-03-01', '2026-06-01')).toEqual(['0']);
    expect(await differences()).toEqual([]);
    await expect(removeCommitment(costing.operator, id)).rejects.toThrow('Unknown commitment');
    const { nodes } = await listAuditRecords(costing.operator, { first: 3 });
    expect(nodes.map(({ action }) => action)).toEqual([
      'commitment.removed',
      'commitment.changed',
      'commitment.created',
    ]);
  });

  it('counts days again for another provider', async () => {
    await send([callOn('2026-03-02', { model: 'claude-x', provider: 'anthropic', cost_override: '4' })]);
    const { id } = await save({ until: '2026-04-01' });
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 0 0 10']);
    await setRate(costing.global, { ...rate, model: 'claude-y', provider: 'anthropic' });
    await save({ id, until: '2026-04-01', provider: 'anthropic' });
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 4 0 6']);
    await save({ name: 'Earlier, with a provider that is listed later', from: '2026-02-01', until: '2026-03-01' });
    // Figures that are still being computed do not count as wrong.
    expect(await differences()).toEqual([]);
    await compute();
    expect(await periods()).toEqual(['2026-03-01: 4 0 6', '2026-02-01: 0 0 10']);
    expect(await differences()).toEqual([]);
  });

  it('has a forecast from the days before it began', async () => {
    const dayAt = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await send([callOn(dayAt(5))]);
    const dated = { period: 'TERM' as const, from: dayAt(3), until: dayAt(-17) };
    const missed = await proposeCommitment(costing.operator, { ...monthly, ...dated, amount: '100' });
    await save({ ...dated, amount: '100' });
    await save({ ...dated, amount: '0.2', name: 'Small' });
    await compute();
    const [big, small] = await listCommitments(costing.operator);
    expect(big!.current).toEqual(missed.current);
    // 3.50 USD in 30 days. 17 days are left, or 18 if yesterday has not settled.
    const { missedBy } = big!.current!.forecast!;
    expect([17, 18].map((days) => (100 - (3.5 / 30) * days).toFixed(6))).toContain(Number(plain(missedBy)).toFixed(6));
    expect([dayAt(0), dayAt(-1)]).toContain(small!.current!.forecast!.fulfilledOn);
  });

  it.each([
    [{ provider: 'nobody-knows-it' }, 'provider nobody-knows-it has no rate cards'],
    [{ amount: '0' }, 'amount must be above 0'],
    [{ amount: '0.0000000000000001' }, 'with up to 15 decimals'],
    [{ amount: '1000000000.01' }, 'at most 1000000000'],
    [{ currency: 'EUR' }, 'Enter the amount in USD'],
    [{ until: '2026-03-01' }, 'until must be after from'],
    [{ until: '2026-04-20' }, 'until must be the end of a period, such as 2026-04-01 or 2026-05-01'],
    [{ until: '2060-03-01' }, 'until must be at most 7305 days after from'],
    [{ period: 'TERM' as const, until: null }, 'until is required for a commitment with the period TERM'],
    [{ from: '2020-01-01' }, 'from must not be more than 1100 days ago'],
    [{ models: ['a*b'] }, 'must not contain *'],
    [{ id: '00000000-0000-4000-8000-000000000000' }, 'Unknown commitment'],
  ])('is refused: %j', async (input, message) => {
    await expect(save(input)).rejects.toThrow(message);
    await expect(proposeCommitment(costing.operator, { ...monthly, ...input })).rejects.toThrow(message);
  });
});

it('verification finds a loss that was planted in the entries or in the costs they were computed from', async () => {
  await send([callOn('2026-03-02')]);
  await save({ until: '2026-04-01' });
  await save({ until: '2026-04-01', models: ['gpt-*'] });
  await compute();
  expect(await differences()).toEqual([]);
  await costing.rows("delete from commitment_entry where cause = 'shortfall' returning 1");
  expect((await differences()).join()).toContain('2026-03-31 shortfall: 6.5 is missing');
  await costing.rows("update commitment_day set spent = 0 where day = '2026-03-02' returning 1");
  const found = (await differences()).filter((text) =>
    text.includes('2026-03-02: the ledger has 3.5, the commitment was computed with 0'),
  );
  expect(found).toHaveLength(2);
});

describe('random histories', () => {
  const day = fc
    .integer({ min: 0, max: 75 })
    .map((days) => new Date(Date.UTC(2026, 1, 20 + days)).toISOString().slice(0, 10));
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('call' as const),
        day,
        cents: fc.integer({ min: 1, max: 900 }),
        model: fc.constantFrom('gpt-4o', 'o3'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('compute' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('crash' as const), statements: fc.integer({ min: 1, max: 25 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        amount: fc.integer({ min: 1, max: 20 }),
        models: fc.constantFrom<string[] | null>(null, ['gpt-*'], ['o3']),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('replace' as const),
        models: fc.constantFrom<string[] | null>(null, ['gpt-*'], ['o3']),
        replaces: fc.boolean(),
        day,
        days: fc.integer({ min: 1, max: 40 }),
      }),
    },
  );

  it('end with the same figures as a naive model of what was sent, even if computing is interrupted anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const own = await startCosting(costing.database);
        const input = { ...monthly, currency: 'USD' };
        let terms: { amount: number; models: string[] | null } = { amount: 10, models: null };
        const { id } = await saveCommitment(own.operator, input);
        const calls: { day: string; cents: number; model: string }[] = [];
        let isReplaced: (one: { day: string; model: string }) => boolean = () => false;
        for (const one of steps) {
          if (one.kind === 'call') {
            calls.push(one);
            await own.send([callOn(one.day, { model: one.model, cost_override: (one.cents / 100).toFixed(2) })]);
            await own.settle();
          } else if (one.kind === 'change') {
            terms = one;
            await saveCommitment(own.operator, { ...input, id, amount: String(one.amount), models: one.models });
          } else if (one.kind === 'replace') {
            const { models, replaces, day: from, days } = one;
            const until = new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10);
            await saveFixedCost(own.operator, {
              ...throughput,
              scope: { models },
              replacesModelCost: replaces,
              periods: [{ ...throughput.periods[0]!, from, until }],
            });
            isReplaced = (call) =>
              replaces && call.day >= from && call.day < until && isNamed(models ?? [call.model], call.model);
          } else if (one.kind === 'compute') await computeAnHourLater();
          else await computeUntilCrash(one.statements);
        }
        await computeAnHourLater();
        const [found] = await listCommitments(own.operator);
        const expected = [
          ['2026-03-01', '2026-04-01'],
          ['2026-04-01', '2026-05-01'],
        ].map(([from, until]) => {
          const spent = calls
            .filter((one) => one.day >= from! && one.day < until!)
            .filter((one) => isNamed(terms.models ?? [one.model], one.model) && !isReplaced(one))
            .reduce((total, { cents }) => total + cents, 0);
          const missing = Math.max(0, terms.amount * 100 - spent);
          return `${from}: ${Number((spent / 100).toFixed(2))} 0 ${Number((missing / 100).toFixed(2))}`;
        });
        expect(periodsOf(found!)).toEqual(expected);
        const checks = await verifyCosting(own.operator);
        expect(checks.flatMap((check) => check.differences)).toEqual([]);
      }),
      runs(4, { nightly: 60 }),
    );
  });

  function isNamed(names: readonly string[], model: string): boolean {
    return names.some((name) => name === model || name === `${model.slice(0, 4)}*`);
  }

  /** Fails the nth transaction of the job, after its statements and before its commit. */
  async function computeUntilCrash(transactions: number): Promise<void> {
    let left = transactions;
    const crashing = Object.create(costing.database) as typeof costing.database;
    Object.defineProperty(crashing, 'system', {
      value: (work: Parameters<typeof costing.database.system>[0]) =>
        costing.database.system(async (tx) => {
          const result = await work(tx);
          if (--left === 0) throw new Error('crash');
          return result;
        }),
    });
    await costing.rows("update commitment_day set read_at = '2020-01-01'");
    const job = computeCommitmentsJob({ database: crashing, log });
    for (let step = 0; step < 12 && left > 0; step++) await job.step();
  }
});
