/** When each organization's books were last verified, fully and in part. */
import { defineEntity, p } from '@mikro-orm/core';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isDistributed } from '#platform/database/nodes/distribution.ts';
import { query } from '#platform/database/sql.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BookStateTable = defineEntity({
  name: 'BookState',
  tableName: 'book_state',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** When any of its days was last verified. */
    verifiedAt: p.datetime(3),
    /** When a full round last verified one of its days. */
    roundAt: p.datetime(3).nullable(),
  },
});

export async function markVerified(
  tx: WriteTransaction,
  organizationIds: readonly string[],
  isRound: boolean,
): Promise<void> {
  const unique = [...new Set(organizationIds)].toSorted();
  const [ofEach, statements] = isDistributed(tx)
    ? [`values ($1::uuid, now(), ${isRound ? 'now()' : 'null'})`, unique]
    : [
        `select organization_id, now(), ${isRound ? 'now()' : 'null::timestamptz'} from unnest($1::uuid[]) as verified (organization_id) order by 1`,
        [unique],
      ];
  for (const ids of statements)
    await query(
      tx,
      `
    insert into book_state (organization_id, verified_at, round_at)
    ${ofEach}
    on conflict (organization_id) do update set verified_at = excluded.verified_at, round_at = coalesce(excluded.round_at, book_state.round_at)`,
      [ids],
    );
}

/** ISO 8601 UTC; null if not verified yet. */
export async function findBookState(
  tx: WriteTransaction,
  organizationId: string,
): Promise<{ verifiedAt: string; roundAt: string | null } | null> {
  const [row] = await query<{ verifiedAt: string; roundAt: string | null }>(
    tx,
    `
    select ${isoMillis('verified_at')} as verified_at, ${isoMillis('round_at')} as round_at from book_state where organization_id = $1`,
    [organizationId],
  );
  return row ?? null;
}
