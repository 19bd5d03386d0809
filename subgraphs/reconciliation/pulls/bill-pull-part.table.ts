/** The original bytes of a pull. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { PART_BYTES_MAX } from '../config.ts';

export const BillPullPartTable = defineEntity({
  name: 'BillPullPart',
  tableName: 'bill_pull_part',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    pullId: p.uuid().primary(),
    /** Number of the part, from 0. */
    part: p.integer().primary(),
    connectionId: p.uuid(),
    data: p.blob(),
  },
});

export interface PullKey {
  readonly organizationId: OrganizationId;
  readonly connectionId: string;
  readonly pullId: string;
}

export async function savePullParts(tx: WriteTransaction, pull: PullKey, body: readonly Buffer[]): Promise<void> {
  let part = 0;
  for (const bytes of body)
    for (let from = 0; from < bytes.length; from += PART_BYTES_MAX)
      await tx.em.insert(BillPullPartTable, {
        ...pull,
        part: part++,
        data: bytes.subarray(from, from + PART_BYTES_MAX),
      });
}

const KEEP = statement(
  (input: Parameters<PullKey & { uploadId: string }>) =>
    sql<object>`insert into bill_pull_part (organization_id, pull_id, part, connection_id, data)
      select organization_id, ${input.pullId}, part, ${input.connectionId}, data from bill_upload
      where organization_id = ${input.organizationId} and upload_id = ${input.uploadId}`,
);

/** Copies the parts of an upload to a pull. */
export async function keepUpload(tx: Transaction, pull: PullKey, uploadId: string): Promise<void> {
  await tx.run(KEEP, { ...pull, uploadId });
}
