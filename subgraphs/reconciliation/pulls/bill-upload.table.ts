/** Parts of bills that are being uploaded, because a request to the gateway is smaller than a bill can be. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BillUploadTable = defineEntity({
  name: 'BillUpload',
  tableName: 'bill_upload',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    uploadId: p.uuid().primary(),
    /** Number of the part, from 0. */
    part: p.integer().primary(),
    createdAt: p.datetime(3),
    data: p.blob(),
  },
  indexes: [{ name: 'bill_upload_created_index', properties: ['createdAt'] }],
});

const SIZE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      bytes: number;
    }>`select coalesce(sum(length(data)), 0)::float8 as bytes from bill_upload where organization_id = ${organizationId}`,
);

/** Bytes of all unfinished uploads of the organization. */
export async function uploadedBytes(tx: Transaction, organizationId: OrganizationId): Promise<number> {
  return (await tx.one(SIZE, { organizationId })).bytes;
}

/** A part that is sent again replaces the earlier one. */
export async function savePart(
  tx: WriteTransaction,
  part: { organizationId: OrganizationId; uploadId: string; part: number; createdAt: Date; data: Buffer },
): Promise<void> {
  await tx.em.upsert(BillUploadTable, part, { disableIdentityMap: true });
}

const CLAIM = statement(
  (input: Parameters<{ organizationId: OrganizationId; uploadId: string; claimedId: string }>) =>
    sql<{ part: number }>`update bill_upload set upload_id = ${input.claimedId}
      where organization_id = ${input.organizationId} and upload_id = ${input.uploadId} returning part`,
);

/**
 * Gives an upload an id that its sender does not know, so that it cannot change while it is imported. Returns the number
 * of its parts; null if one is missing.
 */
export async function claimUpload(
  tx: Transaction,
  input: { readonly organizationId: OrganizationId; readonly uploadId: string; readonly claimedId: string },
): Promise<number | null> {
  const parts = await tx.all(CLAIM, input);
  return parts.length > 0 && Math.max(...parts.map(({ part }) => part)) === parts.length - 1 ? parts.length : null;
}

const PART = statement(
  (input: Parameters<{ organizationId: OrganizationId; uploadId: string; part: number }>) =>
    sql<{ data: Buffer }>`select data from bill_upload
      where organization_id = ${input.organizationId} and upload_id = ${input.uploadId} and part = ${input.part}`,
);

export async function readPart(
  tx: Transaction,
  input: { readonly organizationId: OrganizationId; readonly uploadId: string; readonly part: number },
): Promise<Buffer> {
  return (await tx.one(PART, input)).data;
}

export async function deleteUpload(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  uploadId: string,
): Promise<void> {
  await tx.em.nativeDelete(BillUploadTable, { organizationId, uploadId });
}

const FORGET = statement(
  ({ before }: Parameters<{ before: Date }>) => sql<object>`delete from bill_upload where created_at < ${before}`,
);

/** Deletes parts of uploads that were never finished, in all organizations. */
export async function forgetUploads(tx: Transaction, before: Date): Promise<void> {
  await tx.run(FORGET, { before });
}
