/** Leases of long operations: claim, hold during a step, save progress, release. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lookAcross } from '../database/nodes/look-across.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { statement } from '../database/statement.ts';
import {
  type Operation,
  OPERATION_COLUMNS,
  type OperationId,
  queryOperations,
  THIS_OPERATION,
} from './operation-table.ts';

/**
 * Length of a lease: far longer than a step. After this time, another process may take over an operation whose lease
 * was not renewed.
 */
const LEASE = "now() + interval '30 seconds'";

const LOOKED_AT = 20;

function mayBeClaimed(kinds: string): string {
  return `state = 'running' and next_step_at <= now() and (lease_until is null or lease_until < now()) and kind = any(${kinds}::text[])`;
}

/**
 * The unclaimed operation that has waited longest for its next step; null if there is none. It is found without a lock
 * and claimed in a transaction of its organization.
 */
export async function claimOperation(
  database: Database,
  owner: string,
  kinds: readonly string[],
): Promise<Operation | null> {
  const waiting = await lookAcross<{ organizationId: OrganizationId; id: string; nextStepAt: string }>(database, {
    tables: ['operation'],
    text: (table) => `
      select organization_id, id, next_step_at from ${table} where ${mayBeClaimed('$1')}
      order by next_step_at limit ${LOOKED_AT}`,
    parameters: [kinds],
    compare: (one, other) => (one.nextStepAt < other.nextStepAt ? -1 : 1),
  });
  for (const { organizationId, id } of waiting) {
    const [claimed] = await database.system((tx) =>
      queryOperations(tx, CLAIM_OPERATION, { organizationId, id, kinds, owner }),
    );
    if (claimed) return claimed;
  }
  return null;
}

type OwnedInput = OperationId & { readonly owner: string };

const CLAIM_OPERATION = statement<Operation, OwnedInput & { readonly kinds: readonly string[] }>(`
  update operation set lease_owner = :owner, lease_until = ${LEASE}
  where ${THIS_OPERATION} and id = (
    select id from operation where ${THIS_OPERATION} and ${mayBeClaimed(':kinds')} for update skip locked)
  returning ${OPERATION_COLUMNS}`);

const TAKE_OPERATION = statement<Operation, OwnedInput>(
  `update operation set lease_owner = :owner, lease_until = ${LEASE} where ${THIS_OPERATION} and state = 'running' returning ${OPERATION_COLUMNS}`,
);

/** Takes over a running operation; the previous owner's next step then changes nothing. Null if it is not running. */
export async function takeOperation(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  owner: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(tx, TAKE_OPERATION, { organizationId, id, owner });
  return row ?? null;
}

const HOLD_OPERATION = statement<Operation, OwnedInput>(`
  update operation set lease_until = ${LEASE} where ${THIS_OPERATION} and lease_owner = :owner and state = 'running' returning ${OPERATION_COLUMNS}`);

/**
 * Call it first in a step's transaction. Null if the operation was cancelled or taken over. The row stays locked until
 * the end of the transaction.
 */
export async function holdOperation(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(tx, HOLD_OPERATION, { organizationId, id, owner });
  return row ?? null;
}

/** Progress of a step: the offset replaces the previous one. */
export interface OperationProgress {
  readonly place: unknown;
  /** Over all steps. */
  readonly done: number;
  readonly total?: number | null;
  readonly result?: unknown;
  readonly isFinished: boolean;
}

interface ProgressInput extends OperationId {
  readonly place: string | null;
  readonly done: number;
  readonly total: number | null;
  readonly result: string | null;
}

/** Two statements, because Citus does not allow `now()` inside `case`. */
const progress = (more: string) =>
  statement<Operation, ProgressInput>(`
    update operation set place = :place::jsonb, done = :done, total = coalesce(:total, total), result = coalesce(:result::jsonb, result),
      attempt = 0, last_error = null, updated_at = now(), ${more}
    where ${THIS_OPERATION} returning ${OPERATION_COLUMNS}`);
const SAVE_PROGRESS = progress('finished_at = null');
const FINISH = progress("finished_at = now(), state = 'finished'");

/** Saves the progress of a step and returns the operation. Call it at the end of the step's transaction. */
export async function saveProgress(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  { place, done, total, result, isFinished }: OperationProgress,
): Promise<Operation> {
  const [saved] = await queryOperations(tx, isFinished ? FINISH : SAVE_PROGRESS, {
    organizationId,
    id,
    place: asJson(place),
    done: Math.round(done),
    total: total ?? null,
    result: asJson(result),
  });
  return saved!;
}

const RELEASE_OPERATION = statement<object, OwnedInput>(
  `update operation set lease_owner = null, lease_until = null, next_step_at = now() where ${THIS_OPERATION} and lease_owner = :owner`,
);

/** Releases the lease: any process may run the next step, after other waiting operations. */
export async function releaseOperation(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
): Promise<void> {
  await tx.run(RELEASE_OPERATION, { organizationId, id, owner });
}

interface StepErrorInput extends OwnedInput {
  readonly attempt: number;
  readonly message: string;
  readonly pauseSeconds: number;
}

const stepError = (more: string) =>
  statement<object, StepErrorInput>(`
    update operation set lease_owner = null, lease_until = null, attempt = :attempt, last_error = :message, updated_at = now(),
      next_step_at = now() + :pauseSeconds * interval '1 second'${more}
    where ${THIS_OPERATION} and lease_owner = :owner and state = 'running'`);
const RETRY_LATER = stepError('');
const FAIL = stepError(", state = 'failed', finished_at = now()");

/** Releases the lease after a failed step. If `pauseSeconds` is null, the operation is not retried. */
export async function recordStepError(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
  { attempt, message, pauseSeconds }: { attempt: number; message: string; pauseSeconds: number | null },
): Promise<void> {
  await tx.run(pauseSeconds === null ? FAIL : RETRY_LATER, {
    organizationId,
    id,
    owner,
    attempt,
    message,
    pauseSeconds: pauseSeconds ?? 0,
  });
}

function asJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
