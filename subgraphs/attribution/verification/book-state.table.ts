/** Times at which each organization's books were last verified, fully and in part. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { organizationsOfStatement } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BookStateTable = defineEntity({
  name: 'BookState',
  tableName: 'book_state',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time at which any of its days was last verified. */
    verifiedAt: p.datetime(3),
    /** Time at which a full round last verified one of its days. */
    roundAt: p.datetime(3).nullable(),
  },
});

/** `roundAt` is an SQL expression. */
function mark(roundAt: string) {
  const upsert = (ofEach: string) => `
    insert into book_state (organization_id, verified_at, round_at) ${ofEach}
    on conflict (organization_id) do update set verified_at = excluded.verified_at, round_at = coalesce(excluded.round_at, book_state.round_at)`;
  return statement<object, { organizationIds: readonly OrganizationId[]; organizationId: OrganizationId }>({
    onOneNode: upsert(
      `select organization_id, now(), ${roundAt} from unnest(:organizationIds::uuid[]) as verified (organization_id) order by 1`,
    ),
    onSeveralNodes: upsert(`values (:organizationId::uuid, now(), ${roundAt})`),
  });
}
const MARK_VERIFIED = mark('null::timestamptz');
const MARK_ROUND = mark('now()');

/** `isRound`: true if a full round verified them. */
export async function markVerified(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
  isRound: boolean,
): Promise<void> {
  const unique = [...new Set(organizationIds)].toSorted();
  for (const some of organizationsOfStatement(tx, unique))
    await tx.run(isRound ? MARK_ROUND : MARK_VERIFIED, { organizationIds: some, organizationId: some[0]! });
}

interface BookState {
  readonly verifiedAt: string;
  readonly roundAt: string | null;
}

const FIND_BOOK_STATE = statement<BookState, { organizationId: OrganizationId }>(
  `select ${isoMillis('verified_at')} as verified_at, ${isoMillis('round_at')} as round_at from book_state
   where organization_id = :organizationId`,
);

/** ISO 8601 UTC; null if not verified yet. */
export function findBookState(tx: WriteTransaction, organizationId: OrganizationId): Promise<BookState | null> {
  return tx.first(FIND_BOOK_STATE, { organizationId });
}
