/**
 * Erasures of end users: proof of each erasure and its time. The end user is identified only by a hash (decision 28).
 */
import { lockOrganization } from '#platform/database/locks.ts';
import { createHash } from 'node:crypto';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const EndUserErasureTable = defineEntity({
  name: 'EndUserErasure',
  tableName: 'end_user_erasure',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Increases with time. */
    id: p.uuid().primary(),
    /** SHA-256 of organization and external id: anyone who knows the id can prove that it was erased. */
    subjectHash: p.text(),
    /** Replaces the external id. Deleted when the erasure ends, so that nobody can link the events to the end user. */
    pseudonym: p.text().nullable(),
    /** The external id to erase; deleted in the same way. */
    externalId: p.text().nullable(),
    events: p.bigint(),
    requestedAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'end_user_erasure_subject_index', properties: ['organizationId', 'subjectHash'] }],
  checks: [
    { name: 'end_user_erasure_pseudonym', expression: '(pseudonym is null) = (finished_at is not null)' },
    { name: 'end_user_erasure_external_id', expression: 'finished_at is null or external_id is null' },
  ],
});

export interface EndUserErasureRow {
  readonly id: string;
  readonly subjectHash: string;
  readonly pseudonym: string | null;
  readonly events: number;
  /** ISO 8601 UTC. */
  readonly requestedAt: string;
  readonly finishedAt: string | null;
}

const COLUMNS = `id, subject_hash, pseudonym, events::float8, ${isoMillis('requested_at')} as requested_at,
  ${isoMillis('finished_at')} as finished_at`;

/** SHA-256 over the organization's id, a colon and the external id, in hex. */
export function subjectHashOf(organizationId: string, externalId: string): string {
  return createHash('sha256').update(`${organizationId}:${externalId}`).digest('hex');
}

/** The erasure in progress, locked by this transaction. */
export async function lockActiveErasure(
  tx: WriteTransaction,
  organizationId: string,
  subjectHash: string,
): Promise<EndUserErasureRow | null> {
  const [row] = await query<EndUserErasureRow>(
    tx,
    `select ${COLUMNS} from end_user_erasure
     where organization_id = $1 and subject_hash = $2 and finished_at is null for update`,
    [organizationId, subjectHash],
  );
  return row ?? null;
}

/** The data that the steps of an erasure in progress need, locked by this transaction; null if it is finished. */
export async function lockErasureById(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
): Promise<{ readonly externalId: string; readonly pseudonym: string } | null> {
  const [row] = await query<{ externalId: string; pseudonym: string }>(
    tx,
    `select external_id, pseudonym from end_user_erasure
     where organization_id = $1 and id = $2 and finished_at is null and external_id is not null for update`,
    [organizationId, id],
  );
  return row ?? null;
}

/** For an erasure begun by a version that did not store the external id. */
export async function storeSubject(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
  externalId: string,
): Promise<void> {
  await query(tx, 'update end_user_erasure set external_id = $3 where organization_id = $1 and id = $2', [
    organizationId,
    id,
    externalId,
  ]);
}

/** Two concurrent requests become one erasure. */
export async function lockErasures(tx: WriteTransaction, organizationId: string): Promise<void> {
  await lockOrganization(tx, 'erasures', organizationId);
}

export async function insertErasure(
  tx: WriteTransaction,
  organizationId: string,
  {
    id,
    subjectHash,
    pseudonym,
    externalId,
  }: {
    readonly id: string;
    readonly subjectHash: string;
    readonly pseudonym: string;
    readonly externalId: string;
  },
  at: Date,
): Promise<void> {
  await query(
    tx,
    `insert into end_user_erasure (organization_id, id, subject_hash, pseudonym, external_id, events, requested_at)
     values ($1, $2, $3, $4, $5, 0, $6)`,
    [organizationId, id, subjectHash, pseudonym, externalId, at],
  );
}

/** Adds progress; `finishedAt` marks the end. */
export async function moveErasure(
  tx: WriteTransaction,
  organizationId: string,
  id: string,
  events: number,
  finishedAt: Date | null,
): Promise<void> {
  await query(
    tx,
    `update end_user_erasure set events = events + $3, finished_at = $4::timestamptz,
       pseudonym = case when $4::timestamptz is null then pseudonym end,
       external_id = case when $4::timestamptz is null then external_id end
     where organization_id = $1 and id = $2`,
    [organizationId, id, events, finishedAt],
  );
}

/** Newest first; with a hash, only those of that subject. */
export function erasurePage(
  tx: Transaction,
  organizationId: string,
  { subjectHash, limit, before }: { subjectHash: string | null; limit: number; before: string | null },
): Promise<EndUserErasureRow[]> {
  return query<EndUserErasureRow>(
    tx,
    `select ${COLUMNS} from end_user_erasure
     where organization_id = $1 and ($2::text is null or subject_hash = $2) and ($4::uuid is null or id < $4)
     order by id desc limit $3`,
    [organizationId, subjectHash, limit, before],
  );
}
