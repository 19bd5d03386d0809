/** Imported files and pulled responses. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BillPullTable = defineEntity({
  name: 'BillPull',
  tableName: 'bill_pull',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Increases over time. */
    id: p.uuid().primary(),
    connectionId: p.uuid(),
    fromDay: p.date(),
    toDay: p.date(),
    fetchedAt: p.datetime(3),
    sha256: p.blob(),
    lineCount: p.integer(),
  },
  indexes: [{ name: 'bill_pull_connection_index', properties: ['organizationId', 'connectionId', 'id'] }],
});

const LATEST = statement(
  (input: Parameters<{ organizationId: OrganizationId; connectionId: string; sha256: Buffer }>) =>
    sql<{ id: string; lineCount: number; fromDay: string; toDay: string }>`
      select id, line_count, from_day::text as from_day, to_day::text as to_day from bill_pull as pull
      where organization_id = ${input.organizationId} and connection_id = ${input.connectionId} and sha256 = ${input.sha256}
        and not exists (select 1 from bill_pull as later
          where later.organization_id = pull.organization_id and later.connection_id = pull.connection_id
            and later.id > pull.id and later.from_day <= pull.to_day and later.to_day >= pull.from_day
            and later.sha256 <> pull.sha256)
      order by id desc limit 1`,
);

/** The pull with the same bytes, unless another pull of its days followed. Storing it again would change nothing. */
export function findSamePull(
  tx: Transaction,
  input: { readonly organizationId: OrganizationId; readonly connectionId: string; readonly sha256: Buffer },
): Promise<{ id: string; lineCount: number; fromDay: string; toDay: string } | null> {
  return tx.first(LATEST, input);
}

export interface NewPull {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly connectionId: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly fetchedAt: Date;
  readonly sha256: Buffer;
  readonly lineCount: number;
}

export async function insertPull(tx: WriteTransaction, pull: NewPull): Promise<void> {
  await tx.em.insert(BillPullTable, pull);
}
