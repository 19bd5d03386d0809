/** Runs a long operation step by step. Each step is one transaction that proves its lease, so that no two ever do the same one. */
import { setTimeout as pause } from 'node:timers/promises';
import { fail, KnownError } from '../../schema/errors.ts';
import type { Database, EntityManager } from '../database/open-database.ts';
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
   * One bounded step: in events, bytes and time. Does its work, and says how far it has come, in `commit`'s transaction; what it
   * asks of others, or looks for in all organizations, it does before.
   */
  step(operation: Operation, commit: Commit, database: Database): Promise<void>;
  /** Fails when one that was stopped may not go on. */
  mayResume?(em: EntityManager, operation: Operation): Promise<void>;
}

/** Runs `work` once, with the operation as it stands, and saves its progress in the same transaction. */
export type Commit = (work: (em: EntityManager, operation: Operation) => Promise<OperationProgress>) => Promise<void>;

/** It was cancelled, or someone else has taken it over: whatever the step still wanted to do is not done. */
class OperationStopped extends Error {}

const ATTEMPTS_MAX = 6;
const LOOK_EVERY_MILLISECONDS = 100;

/** Takes steps while `goesOn`; the result says how it stands then. Null when it was stopped meanwhile. */
export async function takeSteps(
  database: Database,
  kind: OperationKind,
  claimed: Operation,
  owner: string,
  goesOn: () => boolean,
): Promise<Operation | null> {
  let operation = claimed;
  const commit: Commit = async (work) => {
    operation = await database.acrossOrganizations(async (em) => {
      const held = await holdOperation(em, operation, owner);
      if (held === null) throw new OperationStopped();
      return saveProgress(em, held, await work(em, held));
    });
  };
  try {
    do await kind.step(operation, commit, database);
    while (operation.state === 'running' && goesOn());
  } catch (error) {
    if (error instanceof OperationStopped) return null;
    await database.acrossOrganizations((em) => recordStepError(em, operation, owner, stepError(operation, error)));
    throw error;
  }
  if (operation.state === 'running') await database.acrossOrganizations((em) => releaseOperation(em, operation, owner));
  return operation;
}

/** What is away will be back, no matter who asked for the operation; anything else is tried some times more. */
function stepError({ attempt }: Operation, error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (unavailability(error) !== null) return { attempt, message, pauseSeconds: 1 };
  const isFinal = error instanceof KnownError || attempt + 1 >= ATTEMPTS_MAX;
  return { attempt: attempt + 1, message, pauseSeconds: isFinal ? null : 2 ** attempt };
}

/**
 * Runs one to its end, for someone who waits for it. When they are cut off, a job goes on with it. Fails when it was cancelled or has
 * failed.
 */
export async function finishOperation(
  database: Database,
  kind: OperationKind,
  { organizationId, id }: Pick<Operation, 'organizationId' | 'id'>,
): Promise<Operation> {
  const owner = randomUuid();
  const claimed = await database.acrossOrganizations((em) => takeOperation(em, organizationId, id, owner));
  if (claimed !== null) await takeSteps(database, kind, claimed, owner, () => true);
  for (;;) {
    const operation = await database.acrossOrganizations((em) => findOperation(em, organizationId, id));
    if (operation === null) return fail('NOT_FOUND', 'Unknown operation');
    if (operation.state === 'finished') return operation;
    if (operation.state !== 'running')
      return fail(
        'UNPROCESSABLE_ENTITY',
        `Operation ${id} was ${operation.state === 'failed' ? `stopped by an error: ${operation.lastError}` : 'cancelled'}`,
      );
    // Someone else has taken it over.
    await pause(LOOK_EVERY_MILLISECONDS);
  }
}
