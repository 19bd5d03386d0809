/**
 * Runs a long operation step by step. Each step is one transaction that checks its lease, so that no step runs twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fail, KnownError } from '#kernel/errors.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { randomUuid } from '../random.ts';
import { unavailability } from '../unavailability.ts';
import {
  holdOperation,
  type OperationProgress,
  recordStepError,
  releaseOperation,
  saveProgress,
  takeOperation,
} from './operation-lease.ts';
import { findOperation, type Operation } from './operation-table.ts';

/** A kind of long operation. */
export interface OperationKind {
  readonly kind: string;
  /**
   * One step, bounded in events, bytes and time. It does its work and saves its progress in `commit`'s transaction.
   * Remote calls and scans over all organizations must come before `commit`.
   */
  step(operation: Operation, commit: Commit, database: Database): Promise<void>;
  /** Fails if a stopped operation may not be resumed. */
  mayResume?(tx: WriteTransaction, operation: Operation): Promise<void>;
}

/** Runs `work` once with the current state of the operation and saves its progress in the same transaction. */
export type Commit = (
  work: (tx: WriteTransaction, operation: Operation) => Promise<OperationProgress>,
) => Promise<void>;

/** The operation was cancelled or taken over; the rest of the step is skipped. */
class OperationStopped extends Error {}

const ATTEMPTS_MAX = 6;
const LOOK_EVERY_MILLISECONDS = 100;

/** Runs steps while `goesOn`. Returns the resulting state; null if it was stopped. */
export async function takeSteps(
  database: Database,
  kind: OperationKind,
  claimed: Operation,
  owner: string,
  goesOn: () => boolean,
): Promise<Operation | null> {
  let operation = claimed;
  const commit: Commit = async (work) => {
    operation = await database.system(async (tx) => {
      const held = await holdOperation(tx, operation, owner);
      if (held === null) throw new OperationStopped();
      return saveProgress(tx, held, await work(tx, held));
    });
  };
  try {
    do await kind.step(operation, commit, database);
    while (operation.state === 'running' && goesOn());
  } catch (error) {
    if (error instanceof OperationStopped) return null;
    await database.system((tx) => recordStepError(tx, operation, owner, stepError(operation, error)));
    throw error;
  }
  if (operation.state === 'running') await database.system((tx) => releaseOperation(tx, operation, owner));
  return operation;
}

/** Unavailable dependencies are retried without limit; other errors a limited number of times. */
function stepError({ attempt }: Operation, error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (unavailability(error) !== null) return { attempt, message, pauseSeconds: 1 };
  const isFinal = error instanceof KnownError || attempt + 1 >= ATTEMPTS_MAX;
  return { attempt: attempt + 1, message, pauseSeconds: isFinal ? null : 2 ** attempt };
}

/**
 * Runs an operation to its end for a waiting caller. If the caller disconnects, a job continues it. Fails if it was
 * cancelled or failed.
 */
export async function finishOperation(
  database: Database,
  kind: OperationKind,
  { organizationId, id }: Pick<Operation, 'organizationId' | 'id'>,
): Promise<Operation> {
  const owner = randomUuid();
  const claimed = await database.system((tx) => takeOperation(tx, organizationId, id, owner));
  if (claimed !== null) await takeSteps(database, kind, claimed, owner, () => true);
  for (;;) {
    const operation = await database.system((tx) => findOperation(tx, organizationId, id));
    if (operation === null) return fail('NOT_FOUND', 'Unknown operation');
    if (operation.state === 'finished') return operation;
    if (operation.state !== 'running')
      return fail(
        'UNPROCESSABLE_ENTITY',
        `Operation ${id} was ${operation.state === 'failed' ? `stopped by an error: ${operation.lastError}` : 'cancelled'}`,
      );
    // Another process has taken it over.
    await pause(LOOK_EVERY_MILLISECONDS);
  }
}
