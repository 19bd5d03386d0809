/** Leases of long operations: claim, hold during a step, save progress, release. */
import { lookAcross } from '../database/nodes/look-across.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { query } from '../database/sql.ts';
import { type Operation, OPERATION_COLUMNS, queryOperations, THIS_OPERATION } from './operation-table.ts';

/** A step is much shorter. After this time, another process may take over a lease that was not renewed. */
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
  const waiting = await lookAcross<{ organizationId: string; id: string; nextStepAt: string }>(database, {
    tables: ['operation'],
    text: (table) => `
      select organization_id, id, next_step_at from ${table} where ${mayBeClaimed('$1')}
      order by next_step_at limit ${LOOKED_AT}`,
    parameters: [kinds],
    compare: (one, other) => (one.nextStepAt < other.nextStepAt ? -1 : 1),
  });
  for (const { organizationId, id } of waiting) {
    const [claimed] = await database.system((tx) =>
      queryOperations(
        tx,
        `
        update operation set lease_owner = $4, lease_until = ${LEASE}
        where ${THIS_OPERATION} and id = (
          select id from operation where ${THIS_OPERATION} and ${mayBeClaimed('$3')} for update skip locked)
        returning ${OPERATION_COLUMNS}`,
        [organizationId, id, kinds, owner],
      ),
    );
    if (claimed) return claimed;
  }
  return null;
}

/** Takes over a running operation; the previous owner's next step then changes nothing. Null if it is not running. */
export async function takeOperation(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
  owner: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(
    tx,
    `update operation set lease_owner = $3, lease_until = ${LEASE} where ${THIS_OPERATION} and state = 'running' returning ${OPERATION_COLUMNS}`,
    [organizationId, id, owner],
  );
  return row ?? null;
}

/**
 * Call it first in a step's transaction. Null if the operation was cancelled or taken over. The row stays locked until
 * the end of the transaction.
 */
export async function holdOperation(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(
    tx,
    `
    update operation set lease_until = ${LEASE} where ${THIS_OPERATION} and lease_owner = $3 and state = 'running' returning ${OPERATION_COLUMNS}`,
    [organizationId, id, owner],
  );
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

export async function saveProgress(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  { place, done, total, result, isFinished }: OperationProgress,
): Promise<Operation> {
  const [saved] = await queryOperations(
    tx,
    `
    update operation set place = $3::jsonb, done = $4, total = coalesce($5, total), result = coalesce($6::jsonb, result), attempt = 0,
      last_error = null, updated_at = now(), finished_at = ${isFinished ? 'now()' : 'null'} ${isFinished ? ", state = 'finished'" : ''}
    where ${THIS_OPERATION} returning ${OPERATION_COLUMNS}`,
    [organizationId, id, asJson(place), Math.round(done), total ?? null, asJson(result)],
  );
  return saved!;
}

/** Releases it: any process may run the next step, after other waiting operations. */
export async function releaseOperation(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
): Promise<void> {
  await query(
    tx,
    `update operation set lease_owner = null, lease_until = null, next_step_at = now() where ${THIS_OPERATION} and lease_owner = $3`,
    [organizationId, id, owner],
  );
}

/** Releases it after a failed step. `pauseSeconds` null: it has finally failed. */
export async function recordStepError(
  tx: WriteTransaction,
  { organizationId, id }: Operation,
  owner: string,
  { attempt, message, pauseSeconds }: { attempt: number; message: string; pauseSeconds: number | null },
): Promise<void> {
  await query(
    tx,
    `
    update operation set lease_owner = null, lease_until = null, attempt = $4, last_error = $5, updated_at = now(),
      next_step_at = now() + $6 * interval '1 second' ${pauseSeconds === null ? ", state = 'failed', finished_at = now()" : ''}
    where ${THIS_OPERATION} and lease_owner = $3 and state = 'running'`,
    [organizationId, id, owner, attempt, message, pauseSeconds ?? 0],
  );
}

function asJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
