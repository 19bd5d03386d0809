/** The long operations of a subgraph: parameters, progress and lease. The table has the same form everywhere. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { announceAfterCommit } from '../database/announce.ts';
import { type Statement, statement } from '../database/statement.ts';
import type { Transaction, WriteTransaction } from '../database/transaction.ts';
import { tenantTable } from '../database/tenant-table.ts';

/** Creates the entity that a subgraph's `operations/operation.table.ts` exports. */
export function operationTable(name: string) {
  return defineEntity({
    name: 'Operation',
    tableName: 'operation',
    ...tenantTable(name),
    properties: {
      /** `NO_ORGANIZATION` for an operation over all organizations. */
      organizationId: p.uuid().primary(),
      /** Increases over time. */
      id: p.uuid().primary(),
      kind: p.text(),
      /** The parameters; never changed. */
      parameters: p.json<unknown>(),
      /** Offset of the next step, in a format of its kind; null at the start. */
      place: p.json<unknown>().nullable(),
      /** Completed units, and the total if known. */
      done: p.bigint(),
      total: p.bigint().nullable(),
      result: p.json<unknown>().nullable(),
      state: p.enum(['running', 'cancelled', 'failed', 'finished']),
      /** Number of consecutive failures and the last error. */
      attempt: p.integer(),
      lastError: p.text().nullable(),
      nextStepAt: p.datetime(3),
      leaseOwner: p.uuid().nullable(),
      leaseUntil: p.datetime(3).nullable(),
      startedAt: p.datetime(3),
      updatedAt: p.datetime(3),
      finishedAt: p.datetime(3).nullable(),
    },
    indexes: [{ name: 'operation_turn_index', properties: ['state', 'nextStepAt'] }],
  });
}

type OperationState = 'running' | 'cancelled' | 'failed' | 'finished';

/** Instants are ISO 8601 UTC. */
export interface Operation {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly kind: string;
  readonly parameters: unknown;
  readonly place: unknown;
  readonly done: number;
  readonly total: number | null;
  readonly result: unknown;
  readonly state: OperationState;
  readonly attempt: number;
  readonly lastError: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

/**
 * For `queryOperations`. Instants are not formatted: a statement that writes on another node cannot return values that
 * depend on settings.
 */
export const OPERATION_COLUMNS =
  'organization_id, id, kind, parameters, place, done::float8, total::float8, result, state, attempt, last_error, started_at, updated_at, finished_at';

/** Rows of a statement that returns `OPERATION_COLUMNS`. */
export async function queryOperations<Input>(
  tx: Transaction,
  one: Statement<Input, Operation>,
  input: Input,
): Promise<Operation[]> {
  const rows = await tx.all(one, input);
  return rows.map((row) => ({
    ...row,
    startedAt: toIso(row.startedAt),
    updatedAt: toIso(row.updatedAt),
    finishedAt: row.finishedAt === null ? null : toIso(row.finishedAt),
  }));
}

function toIso(instant: string): string {
  return new Date(instant).toISOString();
}

/** PostgreSQL channel that announces an operation to run. */
export const OPERATION_CHANNEL = 'operation';

export const THIS_OPERATION = 'organization_id = :organizationId and id = :id';

export interface OperationId {
  readonly organizationId: OrganizationId;
  readonly id: string;
}

export interface NewOperation {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly kind: string;
  readonly parameters: object;
  readonly total?: number | null;
}

const INSERT_OPERATION = statement<
  Operation,
  OperationId & { kind: string; parameters: string; total: number | null }
>(`
  insert into operation (organization_id, id, kind, parameters, done, total, state, attempt, next_step_at, started_at, updated_at)
  values (:organizationId, :id, :kind, :parameters::jsonb, 0, :total, 'running', 0, now(), now(), now())
  returning ${OPERATION_COLUMNS}`);

/** Starts an operation. Call it in the transaction that decides to start it. */
export async function insertOperation(
  tx: WriteTransaction,
  { organizationId, id, kind, parameters, total = null }: NewOperation,
): Promise<Operation> {
  announceAfterCommit(tx, OPERATION_CHANNEL);
  const input = { organizationId, id, kind, parameters: JSON.stringify(parameters), total };
  const [operation] = await queryOperations(tx, INSERT_OPERATION, input);
  return operation!;
}

const FIND_OPERATION = statement<Operation, OperationId>(
  `select ${OPERATION_COLUMNS} from operation where ${THIS_OPERATION}`,
);

export async function findOperation(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(tx, FIND_OPERATION, { organizationId, id });
  return row ?? null;
}

export interface OperationFilter {
  /** Null for all organizations. */
  readonly organizationId: OrganizationId | null;
  readonly state?: OperationState | null | undefined;
  readonly kind?: string | null | undefined;
  /** Lists only the operation with this id. */
  readonly id?: string | null | undefined;
  /** Id of the last item of the previous page. */
  readonly before?: string | null | undefined;
  readonly limit: number;
}

interface ListInput {
  readonly organizationId: OrganizationId | null;
  readonly state: OperationState | null;
  readonly kind: string | null;
  readonly id: string | null;
  readonly before: string | null;
  readonly limit: number;
}

const LIST_OPERATIONS = statement<Operation, ListInput>(`
  select ${OPERATION_COLUMNS} from operation
  where (:organizationId::uuid is null or organization_id = :organizationId)
    and (:state::text is null or state = :state) and (:kind::text is null or kind = :kind)
    and (:id::uuid is null or id = :id) and (:before::uuid is null or id < :before)
  order by operation.id desc limit :limit`);

/** Long operations, newest first. */
export function listOperations(tx: WriteTransaction, filter: OperationFilter): Promise<Operation[]> {
  const { organizationId, state = null, kind = null, id = null, before = null, limit } = filter;
  return queryOperations(tx, LIST_OPERATIONS, { organizationId, state, kind, id, before, limit });
}

const COUNT_STOPPED_OPERATIONS = statement<{ count: number }>(`
  select count(*)::float8 as count from operation
  where state = 'failed' or state = 'running' and updated_at < now() - interval '10 minutes'`);

/** Operations that need attention: failed, or without progress for long. */
export async function countStoppedOperations(tx: WriteTransaction): Promise<number> {
  const { count } = await tx.one(COUNT_STOPPED_OPERATIONS, {});
  return count;
}

const CANCEL_OPERATION = statement<Operation, OperationId>(`
  update operation set state = 'cancelled', lease_owner = null, lease_until = null, updated_at = now(), finished_at = now()
  where ${THIS_OPERATION} and state = 'running' returning ${OPERATION_COLUMNS}`);

/** Cancels an operation after its current step. Null if it is not running. */
export async function cancelOperation(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(tx, CANCEL_OPERATION, { organizationId, id });
  return row ?? null;
}

const RESUME_OPERATION = statement<Operation, OperationId>(`
  update operation set state = 'running', attempt = 0, last_error = null, updated_at = now(), next_step_at = now(), finished_at = null
  where ${THIS_OPERATION} and state in ('cancelled', 'failed') returning ${OPERATION_COLUMNS}`);

/** Resumes an operation from its offset with its parameters. Null if it is running or finished. */
export async function resumeOperation(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Operation | null> {
  const [row] = await queryOperations(tx, RESUME_OPERATION, { organizationId, id });
  if (row) announceAfterCommit(tx, OPERATION_CHANNEL);
  return row ?? null;
}

const KEPT_DAYS = 30;
const ROWS_MAX = 1_000;

const DELETE_FINISHED_OPERATIONS = statement<
  object,
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>("delete from operation where organization_id = :organizationId and id = any(:ids::uuid[]) and state = 'finished'");

const FIND_OLD_OPERATIONS = statement<{ organizationId: OrganizationId; ids: string[] }>(`
  select organization_id, json_agg(id) as ids from (
    select organization_id, id from operation old
    where state = 'finished' and next_step_at < now() - interval '${KEPT_DAYS} days' and finished_at < now() - interval '${KEPT_DAYS} days'
      and exists (
        select 1 from operation later where later.organization_id = old.organization_id and later.kind = old.kind
          and later.state = 'finished' and (later.finished_at, later.id) > (old.finished_at, old.id))
    order by organization_id, id limit ${ROWS_MAX}) old
  group by organization_id`);

/**
 * Deletes old finished operations; every rate change and every day creates one. Cancelled and failed ones are kept,
 * and so is the last one of each kind. Returns the number deleted.
 */
export async function pruneOperations(tx: WriteTransaction): Promise<number> {
  const old = await tx.all(FIND_OLD_OPERATIONS, {});
  for (const { organizationId, ids } of old) await tx.run(DELETE_FINISHED_OPERATIONS, { organizationId, ids });
  return old.reduce((total, { ids }) => total + ids.length, 0);
}
