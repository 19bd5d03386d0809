/** The payment-processor account of each organization, with its sealed key and the schedule of its sync. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, LockMode, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { announceAfterCommit } from '#platform/database/announce.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { LEASE_SECONDS } from '../config.ts';
import type { SyncMode } from '../stripe/sync-stages.ts';

export const PaymentConnectionTable = defineEntity({
  name: 'PaymentConnection',
  tableName: 'payment_connection',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid(),
    processor: p.enum(['stripe']),
    /** Origin of the processor's API without `/v1`; null for the processor's default. */
    apiBase: p.text().nullable(),
    /** Metadata key of customers that contains the `user_id` of usage events. */
    endUserKey: p.text(),
    /** AES-256-GCM; null once disconnected. */
    sealedKey: p.blob().nullable(),
    keyEnding: p.text(),
    /** Mode of the key; null if the key does not show its mode. */
    keyMode: p.enum(['live', 'test']).nullable(),
    status: p.enum(['connected', 'disconnected']),
    connectedAt: p.datetime(3),
    disconnectedAt: p.datetime(3).nullable(),
    /** Time of the last requested sync. Only a run that started later satisfies the request. */
    requestedAt: p.datetime(3).nullable(),
    requestedFull: p.boolean(),
    /** False once the processor has refused to list its events. */
    eventsOffered: p.boolean(),
    /** Earliest time of the next sync step. */
    dueAt: p.datetime(3),
    /** Consecutive failed steps. */
    attempt: p.integer(),
    leaseOwner: p.uuid().nullable(),
    leaseUntil: p.datetime(3).nullable(),
    lastError: p.text().nullable(),
    lastErrorAt: p.datetime(3).nullable(),
    lastSyncAt: p.datetime(3).nullable(),
    lastFullSyncAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'payment_connection_due_index', properties: ['dueAt'] }],
  checks: [
    { name: 'payment_connection_key_while_connected', expression: "(sealed_key is not null) = (status = 'connected')" },
  ],
});

type Row = InferEntity<typeof PaymentConnectionTable>;

/** A row as stored. */
export type PaymentConnection = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** PostgreSQL channel that announces requested syncs. */
export const SYNC_CHANNEL = 'revenue_sync';

const db = tables<typeof PaymentConnectionTable>();

const CLAIM_DUE_CONNECTION = statement(
  (
    input: Parameters<{ owner: string; now: Date; passedOver: readonly string[] }>,
  ) => sql<ClaimedConnection>`update payment_connection set lease_owner = ${input.owner}, lease_until = ${input.now}::timestamptz + make_interval(secs => ${sql.lit(LEASE_SECONDS)})
     where organization_id = (
       select organization_id from payment_connection
       where status = 'connected' and due_at <= ${input.now} and (lease_until is null or lease_until < ${input.now} or lease_owner = ${input.owner})
         and organization_id <> all(${input.passedOver}::uuid[])
       order by due_at limit 1 for update skip locked)
     returning organization_id, id, api_base, end_user_key, sealed_key, attempt, requested_full, events_offered,
       ${sql.raw(isoMillis('requested_at'))} as requested_at, ${sql.raw(isoMillis('last_sync_at'))} as last_sync_at,
       ${sql.raw(isoMillis('last_full_sync_at'))} as last_full_sync_at`,
);

const ANY_DUE = statement(
  () =>
    sql<object>`select true as is_due from payment_connection /* every organization */ where status = 'connected' and due_at <= now() limit 1`,
);

/** Cheap check before {@link claimDueConnection}: ignores leases. */
export async function isAnyConnectionDue({ lookUps }: Database): Promise<boolean> {
  return (await lookUps.find(ANY_DUE, {})) !== null;
}

/**
 * Leases the connection that has been due longest to this process; null if none is due. Skips the organizations in
 * `passedOver`.
 */
export async function claimDueConnection(
  tx: WriteTransaction,
  owner: string,
  now: Date,
  passedOver: readonly string[],
): Promise<ClaimedConnection | null> {
  return tx.first(CLAIM_DUE_CONNECTION, { owner, now, passedOver });
}

export interface ClaimedConnection {
  organizationId: OrganizationId;
  id: string;
  apiBase: string | null;
  endUserKey: string;
  sealedKey: Buffer;
  attempt: number;
  /** ISO 8601, as are `lastSyncAt` and `lastFullSyncAt`. */
  requestedAt: string | null;
  requestedFull: boolean;
  eventsOffered: boolean;
  lastSyncAt: string | null;
  lastFullSyncAt: string | null;
}

const RENEW_LEASE = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; owner: string; now: Date }>,
  ) => sql<object>`update payment_connection set lease_until = ${input.now}::timestamptz + make_interval(secs => ${sql.lit(LEASE_SECONDS)})
     where organization_id = ${input.organizationId} and lease_owner = ${input.owner} and status = 'connected' returning 1 as held`,
);

/** Returns false if the lease is lost: another process took the step, or the account was disconnected. */
export async function renewLease(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  owner: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.all(RENEW_LEASE, { organizationId, owner, now });
  return rows.length > 0;
}

const RELEASE_CONNECTION = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; owner: string; dueAt: Date; runStartedAt: string }>,
  ) => sql<object>`update payment_connection set lease_owner = null, lease_until = null, attempt = 0, last_error = null, last_error_at = null,
       due_at = case when requested_at > ${input.runStartedAt} then least(due_at, ${input.dueAt}) else ${input.dueAt} end
     where organization_id = ${input.organizationId} and lease_owner = ${input.owner}`,
);

/** Releases the connection after a successful step. A sync requested since the run began remains due at once. */
export async function releaseConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  owner: string,
  { dueAt, runStartedAt }: StepEnd,
): Promise<void> {
  await tx.run(RELEASE_CONNECTION, { organizationId, owner, dueAt, runStartedAt });
}

export interface StepEnd {
  /** Time of the next step. */
  readonly dueAt: Date;
  /** ISO 8601. */
  readonly runStartedAt: string;
}

const DEFER_CONNECTION = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; owner: string; dueAt: Date; error: string; now: Date }>,
  ) => sql<object>`update payment_connection set lease_owner = null, lease_until = null, due_at = ${input.dueAt}, attempt = attempt + 1, last_error = ${input.error}, last_error_at = ${input.now}
     where organization_id = ${input.organizationId} and lease_owner = ${input.owner}`,
);

/** Releases the connection after an error; the step is retried at `dueAt`. */
export async function deferConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  owner: string,
  dueAt: Date,
  error: string,
  now: Date,
): Promise<void> {
  await tx.run(DEFER_CONNECTION, { organizationId, owner, dueAt, error, now });
}

const MARK_SYNCED = statement(
  (input: Parameters<{ organizationId: OrganizationId; now: Date; isFull: boolean }>) =>
    sql<object>`update payment_connection set last_sync_at = ${input.now}, last_full_sync_at = case when ${input.isFull} then ${input.now} else last_full_sync_at end where organization_id = ${input.organizationId}`,
);

/** Records that a run finished. */
export async function markSynced(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  mode: SyncMode,
  now: Date,
): Promise<void> {
  await tx.run(MARK_SYNCED, { organizationId, now, isFull: mode === 'full' });
}

const MARK_NO_EVENTS = statement(({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
  db.updateTable('paymentConnection').set({ eventsOffered: false }).where('organizationId', '=', organizationId),
);

/** Records that the processor does not offer events, so that syncs read its lists in full. */
export async function markNoEvents(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK_NO_EVENTS, { organizationId });
}

const REQUEST_SYNC = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; now: Date; full: boolean }>,
  ) => sql<object>`update payment_connection set requested_at = ${input.now}, requested_full = ${input.full}, due_at = least(due_at, ${input.now}), attempt = 0
     where organization_id = ${input.organizationId} and status = 'connected' returning 1`,
);

/** Requests an immediate sync; with `full`, a full one. Returns false if no account is connected. */
export async function requestSync(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  full: boolean,
  now: Date,
): Promise<boolean> {
  const rows = await tx.all(REQUEST_SYNC, { organizationId, now, full });
  if (rows.length > 0) announceAfterCommit(tx, SYNC_CHANNEL);
  return rows.length > 0;
}

const IS_CONNECTED = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`select 1 from payment_connection where organization_id = ${organizationId} and status = 'connected'`,
);

export async function isConnected(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  const rows = await tx.all(IS_CONNECTED, { organizationId });
  return rows.length > 0;
}

/** The organization's connection, including the sealed key. */
export async function connectionOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<PaymentConnection | null> {
  return (await tx.em.findOne(
    PaymentConnectionTable,
    { organizationId },
    { refresh: true },
  )) as PaymentConnection | null;
}

/**
 * The connection, locked until the transaction ends. Every change of a connection takes this lock first: a sync step
 * holds it while writing, so the change sees everything that the step wrote.
 */
export async function holdConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<PaymentConnection | null> {
  const held = { refresh: true, lockMode: LockMode.PESSIMISTIC_WRITE };
  return (await tx.em.findOne(PaymentConnectionTable, { organizationId }, held)) as PaymentConnection | null;
}

/** Inserts or replaces the organization's connection. */
export async function saveConnection(tx: WriteTransaction, connection: PaymentConnection): Promise<PaymentConnection> {
  return (await tx.em.upsert(PaymentConnectionTable, connection)) as PaymentConnection;
}
