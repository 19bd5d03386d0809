/**
 * Long operations have a handle: they are listed, continue by themselves, can be cancelled and resumed, and report
 * progress.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import { printMetrics } from '#platform/metrics.ts';
import { cancelOperation } from '../../../../subgraphs/costing/operations/cancel-operation.operation.ts';
import { getOperation } from '../../../../subgraphs/costing/operations/get-operation.operation.ts';
import { listOperations } from '../../../../subgraphs/costing/operations/list-operations.operation.ts';
import { resumeOperation } from '../../../../subgraphs/costing/operations/resume-operation.operation.ts';
import { runOperations } from '../../../../subgraphs/costing/operations/run-operations.job.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { getRepricing } from '../../../../subgraphs/costing/repricing/get-repricing.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { revertRepricing } from '../../../../subgraphs/costing/repricing/revert-repricing.operation.ts';
import { startRepricing } from '../../../../subgraphs/costing/repricing/start-repricing.operation.ts';
import { startRevert } from '../../../../subgraphs/costing/repricing/start-revert.operation.ts';
import { call, calls, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
const at = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const all = { start: at(60), end: at(0) };
const page = { kind: 'reprice', first: 50 };

beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, { model: 'acme-1', input: '1', output: '0' });
  await costing.send(calls(3, { event_invoked_at: at(5) }));
  await costing.settle();
  await setRate(costing.global, { model: 'acme-1', input: '2', output: '0', effectiveFrom: at(10) });
});
afterEach(() => costing.close());

const costs = async () => Object.values(await costing.costs());
const job = () => runOperations(costing);

async function runAll(): Promise<void> {
  const { step } = job();
  while ((await step()) === 'more');
}

/** A database whose process is killed after a number of transactions across organizations. */
function killedAfter(count: number): Costing['database'] {
  let transactions = 0;
  return {
    ...costing.database,
    system: (async (work) => {
      if (++transactions > count) throw new Error('The process was killed');
      return costing.database.system(work);
    }) as Costing['database']['system'],
  };
}

describe('a repricing in the background', () => {
  it('is executed by the job, and shows its progress', async () => {
    const { id, ...begun } = await startRepricing(costing.operator, all);
    expect(begun).toMatchObject({ kind: 'reprice', state: 'RUNNING', done: 0, total: 3, finishedAt: null });
    expect(await costs()).toEqual(['0.001', '0.001', '0.001']);
    await runAll();
    expect(await getOperation(costing.operator, id)).toMatchObject({ state: 'FINISHED', done: 3, total: 3 });
    expect(await costs()).toEqual(['0.002', '0.002', '0.002']);
    const { events, difference } = await getRepricing(costing.operator, id);
    expect([events, plain(difference)]).toEqual([3, '0.003']);
  });

  it('is the same one if it is requested again', async () => {
    const { id } = await startRepricing(costing.operator, all);
    expect(await startRepricing(costing.operator, all)).toMatchObject({ id });
    expect(await reprice(costing.operator, { ...all, dryRun: false })).toMatchObject({ repricingId: id, events: 3 });
    expect((await listOperations(costing.operator, page)).nodes).toMatchObject([{ id, state: 'FINISHED' }]);
  });

  it('is listed for its organization and for the operator of all, but for no other organization', async () => {
    const { id } = await startRepricing(costing.operator, all);
    const other = await startCosting(costing.database);
    expect((await listOperations(other.operator, page)).nodes).toEqual([]);
    expect(await getOperation(other.operator, id)).toBeNull();
    await expect(cancelOperation(other.operator, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await listOperations(costing.global, { ...page, state: 'RUNNING' })).nodes).toMatchObject([
      { id, organizationId: costing.organizationId },
    ]);
    const ofAll = await listOperations(costing.global, { kind: 'requeue-waiting', first: 1 });
    expect(ofAll.nodes).toMatchObject([{ organizationId: null }]);
    await expect(listOperations(costing.global, { first: 0 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(listOperations(costing.global, { ...page, after: 'lost' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

it('operations are listed in pages, newest first', async () => {
  const ids: string[] = [];
  for (const model of ['acme-1', 'acme-2', null]) {
    const { id } = await startRepricing(costing.operator, { ...all, model });
    await cancelOperation(costing.operator, id);
    ids.unshift(id);
  }
  const listed: string[] = [];
  let after: string | null = null;
  do {
    const { nodes, pageInfo } = await listOperations(costing.operator, { kind: 'reprice', first: 2, after });
    listed.push(...nodes.map(({ id }) => id));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null && listed.length < 9);
  expect(listed).toEqual(ids);
});

it('a repricing whose process stops is still listed, and continues by itself', async () => {
  const killed = { ...costing.operator, database: killedAfter(1) };
  await expect(reprice(killed, { ...all, dryRun: false })).rejects.toThrow('killed');
  expect((await listOperations(costing.global, page)).nodes).toMatchObject([{ state: 'RUNNING', done: 0 }]);
  await costing.rows(
    "update operation set lease_until = now() - interval '1 second' where state = 'running' returning 1",
  );
  await runAll();
  expect((await listOperations(costing.global, page)).nodes).toMatchObject([{ state: 'FINISHED', done: 3 }]);
  expect(await costs()).toEqual(['0.002', '0.002', '0.002']);
});

describe('a cancelled repricing', () => {
  it('keeps its progress, continues when resumed, and is in the audit log', async () => {
    const { id } = await startRepricing(costing.operator, all);
    expect(await cancelOperation(costing.operator, id)).toMatchObject({ id, state: 'CANCELLED' });
    await runAll();
    expect(await costs()).toEqual(['0.001', '0.001', '0.001']);
    await expect(cancelOperation(costing.operator, id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await resumeOperation(costing.operator, id)).toMatchObject({ id, state: 'RUNNING' });
    await runAll();
    expect(await costs()).toEqual(['0.002', '0.002', '0.002']);
    await expect(resumeOperation(costing.operator, id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(
      await costing.rows("select act, subject_id from audit_record where act like 'operation.%' order by id"),
    ).toEqual([
      { act: 'operation.cancelled', subjectId: id },
      { act: 'operation.resumed', subjectId: id },
    ]);
  });

  it('stops every process that works on it: the step in progress changes nothing more', async () => {
    const { id } = await startRepricing(costing.operator, all);
    const [before] = await costing.rows<{ count: number }>('select count(*)::int as count from cost_entry');
    const [[cancelled]] = await Promise.all([Promise.allSettled([cancelOperation(costing.operator, id)]), runAll()]);
    const { state } = (await getOperation(costing.operator, id))!;
    // If everything was already done, there was nothing to cancel.
    if (cancelled.status === 'rejected')
      expect({ state, reason: cancelled.reason as unknown }).toMatchObject({
        state: 'FINISHED',
        reason: { code: 'VALIDATION_ERROR' },
      });
    const [after] = await costing.rows<{ count: number }>('select count(*)::int as count from cost_entry');
    if (state === 'CANCELLED' && (await getRepricing(costing.operator, id)).events === 0) expect(after).toEqual(before);
    else expect(after!.count).toBe(before!.count + 3);
  });

  it('can be reverted, and then no longer be resumed', async () => {
    await costing.send(calls(1_100, { event_invoked_at: at(6) }));
    await costing.settle();
    await setRate(costing.global, { model: 'acme-1', input: '3', output: '0', effectiveFrom: at(10) });
    const killed = { ...costing.operator, database: killedAfter(2) };
    await expect(reprice(killed, { ...all, dryRun: false })).rejects.toThrow('killed');
    const [{ id } = { id: '' }] = (await listOperations(costing.operator, page)).nodes;
    await expect(startRevert(costing.operator, id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await cancelOperation(costing.operator, id);
    const { events } = await getRepricing(costing.operator, id);
    expect(events).toBe(1_000);
    const reverted = await revertRepricing(costing.operator, id);
    expect(reverted.events).toBe(1_000);
    expect(new Set(await costs())).toEqual(new Set(['0.001', '0.002']));
    await expect(resumeOperation(costing.operator, id)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('one repricing of an organization runs at a time; an error names the running one', async () => {
  const { id } = await startRepricing(costing.operator, all);
  await expect(startRepricing(costing.operator, { ...all, model: 'acme-1' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(id) as string,
  });
  const other = await startCosting(costing.database);
  await startRepricing(other.operator, all);
});

it('a cancelled repricing cannot be resumed while another one runs', async () => {
  const { id } = await startRepricing(costing.operator, all);
  await cancelOperation(costing.operator, id);
  const running = await startRepricing(costing.operator, { ...all, model: 'acme-1' });
  await expect(resumeOperation(costing.operator, id)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining(running.id) as string,
  });
  await runAll();
  expect(await resumeOperation(costing.operator, id)).toMatchObject({ id, state: 'RUNNING' });
});

it('a failing step is retried a few times and then fails with its reason, until the operation is resumed', async () => {
  await costing.send([call({ model: 'acme-1', units: '999999999999', event_invoked_at: at(5) })]);
  await costing.settle();
  await setRate(costing.global, { model: 'acme-1', unitPrice: '999999999', effectiveFrom: at(10) });
  const { id } = await startRepricing(costing.operator, all);
  const { step } = job();
  for (let attempt = 0; attempt < 6; attempt++) {
    await costing.rows("update operation set next_step_at = now() - interval '1 second' returning 1");
    await step().catch(() => undefined);
  }
  expect(await getOperation(costing.operator, id)).toMatchObject({
    state: 'FAILED',
    lastError: expect.stringContaining('overflow') as string,
  });
  await setRate(costing.global, { model: 'acme-1', input: '2', output: '0', effectiveFrom: at(10) });
  // The operation has all its attempts again.
  expect(await resumeOperation(costing.operator, id)).toMatchObject({
    ...{ state: 'RUNNING', attempt: 0, lastError: null, finishedAt: null },
  });
  await runAll();
  expect(await getOperation(costing.operator, id)).toMatchObject({ state: 'FINISHED', lastError: null });
});

it('old finished operations are deleted, except the last of each kind, and cancelled ones', async () => {
  const finished = async () =>
    (await listOperations(costing.global, { state: 'FINISHED', kind: 'requeue-waiting', first: 50 })).nodes;
  await runAll();
  const before = await finished();
  expect(before.length).toBeGreaterThan(1);
  const { id } = await startRepricing(costing.operator, all);
  await cancelOperation(costing.operator, id);
  const age = (days: number) =>
    costing.rows(
      `update operation set next_step_at = now() - interval '${days} days', finished_at = now() - interval '${days} days' returning 1`,
    );
  await age(29);
  await job().step();
  expect(await finished()).toHaveLength(before.length);
  await age(31);
  await job().step();
  expect(await finished()).toHaveLength(1);
  expect((await listOperations(costing.global, { state: 'CANCELLED', first: 50 })).nodes).toMatchObject([{ id }]);
});

it('the metrics count operations that failed or make no progress', async () => {
  job();
  const stopped = async () => /^books_operations_stopped\{subgraph="costing"\} (\d+)$/m.exec(await printMetrics())?.[1];
  const { id } = await startRepricing(costing.operator, all);
  expect(await stopped()).toBe('0');
  await costing.rows(`update operation set updated_at = now() - interval '1 hour' where id = '${id}' returning 1`);
  expect(await stopped()).toBe('1');
  await costing.rows(`update operation set state = 'failed', updated_at = now() where id = '${id}' returning 1`);
  expect(await stopped()).toBe('1');
});
