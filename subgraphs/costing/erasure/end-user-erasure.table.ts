/**
 * Erasures of end users: proof of each erasure and its time. The end user is identified only by a hash (decision 28).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { createHash } from 'node:crypto';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
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
  indexes: [
    { name: 'end_user_erasure_subject_index', properties: ['organizationId', 'subjectHash'] },
    {
      name: 'end_user_erasure_active_index',
      expression:
        'create index end_user_erasure_active_index on end_user_erasure (organization_id, pseudonym) where finished_at is null',
    },
  ],
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
export function subjectHashOf(organizationId: OrganizationId, externalId: string): string {
  return createHash('sha256').update(`${organizationId}:${externalId}`).digest('hex');
}

const LOCK_ACTIVE_ERASURE = statement<
  EndUserErasureRow,
  { readonly organizationId: OrganizationId; readonly subjectHash: string }
>(`select ${COLUMNS} from end_user_erasure
     where organization_id = :organizationId and subject_hash = :subjectHash and finished_at is null for update`);

/** The erasure in progress, locked by this transaction. */
export async function lockActiveErasure(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  subjectHash: string,
): Promise<EndUserErasureRow | null> {
  const [row] = await tx.all(LOCK_ACTIVE_ERASURE, { organizationId, subjectHash });
  return row ?? null;
}

const LOCK_ERASURE_BY_ID = statement<
  { externalId: string; pseudonym: string },
  { readonly organizationId: OrganizationId; readonly id: string }
>(`select external_id, pseudonym from end_user_erasure
     where organization_id = :organizationId and id = :id and finished_at is null and external_id is not null for update`);

/** The data that the steps of an erasure in progress need, locked by this transaction; null if it is finished. */
export async function lockErasureById(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<{ readonly externalId: string; readonly pseudonym: string } | null> {
  const [row] = await tx.all(LOCK_ERASURE_BY_ID, { organizationId, id });
  return row ?? null;
}

const STORE_SUBJECT = statement<
  object,
  { readonly organizationId: OrganizationId; readonly id: string; readonly externalId: string }
>('update end_user_erasure set external_id = :externalId where organization_id = :organizationId and id = :id');

/** Stores the external id with an erasure that was begun by a version without this column. */
export async function storeSubject(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  externalId: string,
): Promise<void> {
  await tx.run(STORE_SUBJECT, { organizationId, id, externalId });
}

/** Locks the organization's erasures, so that two concurrent requests begin only one. */
export async function lockErasures(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await lockOrganization(tx, 'erasures', organizationId);
}

const INSERT_ERASURE = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly id: string;
    readonly subjectHash: string;
    readonly pseudonym: string;
    readonly externalId: string;
    readonly at: Date;
  }
>(`insert into end_user_erasure (organization_id, id, subject_hash, pseudonym, external_id, events, requested_at)
     values (:organizationId, :id, :subjectHash, :pseudonym, :externalId, 0, :at)`);

export async function insertErasure(
  tx: WriteTransaction,
  organizationId: OrganizationId,
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
  await tx.run(INSERT_ERASURE, { organizationId, id, subjectHash, pseudonym, externalId, at });
}

const MOVE_ERASURE = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly id: string;
    readonly events: number;
    readonly finishedAt: Date | null;
  }
>(`update end_user_erasure set events = events + :events, finished_at = :finishedAt::timestamptz,
       pseudonym = case when :finishedAt::timestamptz is null then pseudonym end,
       external_id = case when :finishedAt::timestamptz is null then external_id end
     where organization_id = :organizationId and id = :id`);

/** Adds progress; `finishedAt` marks the end. */
export async function moveErasure(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  events: number,
  finishedAt: Date | null,
): Promise<void> {
  await tx.run(MOVE_ERASURE, { organizationId, id, events, finishedAt });
}

const ERASURE_PAGE = statement<
  EndUserErasureRow,
  {
    readonly organizationId: OrganizationId;
    readonly subjectHash: string | null;
    readonly limit: number;
    readonly before: string | null;
  }
>(`select ${COLUMNS} from end_user_erasure
     where organization_id = :organizationId and (:subjectHash::text is null or subject_hash = :subjectHash) and (:before::uuid is null or id < :before)
     order by id desc limit :limit`);

/** Erasures, newest first; with a hash, only those of that subject. */
export function erasurePage(
  tx: Transaction,
  organizationId: OrganizationId,
  { subjectHash, limit, before }: { subjectHash: string | null; limit: number; before: string | null },
): Promise<EndUserErasureRow[]> {
  return tx.all(ERASURE_PAGE, { organizationId, subjectHash, limit, before });
}
