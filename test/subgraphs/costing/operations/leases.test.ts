/** A long operation has one owner: a process that lost it changes nothing more. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  claimOperation,
  holdOperation,
  recordStepError,
  releaseOperation,
  saveProgress,
  takeOperation,
} from '#platform/operations/operation-lease.ts';
import { cancelOperation, type Operation, resumeOperation } from '#platform/operations/operation-table.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { startRepricing } from '../../../../subgraphs/costing/repricing/start-repricing.operation.ts';
import { calls, type Costing, startCosting } from '../costing-builder.ts';

const [ONE, OTHER] = [randomUUID(), randomUUID()];
let costing: Costing;
let id: string;
beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, { model: 'acme-1', input: '1', output: '0' });
  await costing.send(calls(1));
  await costing.settle();
  ({ id } = await startRepricing(costing.operator, { start: '2026-01-01', end: new Date().toISOString() }));
  await costing.rows('update operation set next_step_at = now(), lease_owner = null, lease_until = null');
});
afterEach(() => costing.close());

const claim = async (owner: string) => (await claimOperation(costing.database, owner, ['reprice']))?.id ?? null;
const take = async (owner: string) =>
  (await costing.database.system((tx) => takeOperation(tx, costing.organizationId, id, owner)))!;
const hold = async (operation: Operation, owner: string) =>
  (await costing.database.system((tx) => holdOperation(tx, operation, owner)))?.id ?? null;
const expire = () => costing.rows("update operation set lease_until = now() - interval '1 second'");
const lease = async () =>
  (
    await costing.rows<{ owner: string | null; isLeased: boolean; attempt: number; state: string }>(
      'select lease_owner as owner, lease_until > now() as is_leased, attempt, state from operation where id = $1',
      [id],
    )
  )[0];

it('an operation can be claimed once, and again when its lease has ended', async () => {
  expect([await claim(ONE), await claim(OTHER)]).toEqual([id, null]);
  await expire();
  expect([await claim(OTHER), await claim(ONE)]).toEqual([id, null]);
});

it('an operation is not claimed before its next step is due, nor for another kind', async () => {
  await costing.rows("update operation set next_step_at = now() + interval '1 minute'");
  expect(await claim(ONE)).toBeNull();
  await costing.rows('update operation set next_step_at = now()');
  expect(await claimOperation(costing.database, ONE, ['erase'])).toBeNull();
  expect(await claim(ONE)).toBe(id);
});

it('a takeover stops the process that had the operation, whatever that process does next', async () => {
  const ofOne = await take(ONE);
  expect(await hold(ofOne, ONE)).toBe(id);
  await take(OTHER);
  const taken = { owner: OTHER, isLeased: true, attempt: 0, state: 'running' };
  expect(await hold(ofOne, ONE)).toBeNull();
  await costing.database.system((tx) => releaseOperation(tx, ofOne, ONE));
  expect(await lease()).toEqual(taken);
  const failure = { attempt: 1, message: 'It failed', pauseSeconds: null };
  await costing.database.system((tx) => recordStepError(tx, ofOne, ONE, failure));
  expect(await lease()).toEqual(taken);
  expect(await hold(ofOne, OTHER)).toBe(id);
  await costing.database.system((tx) => recordStepError(tx, ofOne, OTHER, failure));
  expect(await lease()).toMatchObject({ owner: null, attempt: 1, state: 'failed' });
  expect(await hold(ofOne, OTHER)).toBeNull();
});

it('an operation keeps its lease while steps hold it, and can be claimed at once after its release', async () => {
  const operation = await take(ONE);
  await expire();
  expect(await hold(operation, ONE)).toBe(id);
  expect([await lease(), await claim(OTHER)]).toMatchObject([{ owner: ONE, isLeased: true }, null]);
  await costing.database.system((tx) => releaseOperation(tx, operation, ONE));
  expect(await claim(OTHER)).toBe(id);
});

it('a cancelled operation has no lease: once it is resumed, it can be claimed at once', async () => {
  await take(ONE);
  for (const change of [cancelOperation, resumeOperation]) {
    expect(await costing.database.system((tx) => change(tx, costing.organizationId, id))).toMatchObject({ id });
    expect(await lease()).toMatchObject({ owner: null });
  }
  expect(await claim(OTHER)).toBe(id);
});

it('progress ends a series of failures, and keeps the total and the result that a step does not state', async () => {
  const operation = await take(ONE);
  const step = (progress: object) =>
    costing.database.system((tx) =>
      saveProgress(tx, operation, { place: null, done: 0, isFinished: false, ...progress }),
    );
  expect(await step({ done: 1, total: 9, result: { events: 1 } })).toMatchObject({ done: 1, total: 9 });
  await costing.rows("update operation set attempt = 4, last_error = 'It failed'");
  expect(await step({ place: { after: 2 }, done: 2 })).toMatchObject({
    ...{ place: { after: 2 }, done: 2, total: 9, result: { events: 1 } },
    ...{ state: 'running', attempt: 0, lastError: null, finishedAt: null },
  });
  expect(await step({ done: 9, isFinished: true })).toMatchObject({
    ...{ place: null, done: 9, total: 9, state: 'finished', finishedAt: expect.any(String) },
  });
});
