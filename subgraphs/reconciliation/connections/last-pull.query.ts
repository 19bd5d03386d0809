/** The newest pull of each connection. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { LastPull } from './bill-connection-view.ts';

const LAST_PULL = sql.raw(
  `connection_id, ${isoMillis('max(fetched_at)')} as fetched_at, max(to_day)::text as to_day, count(*)::int as pulls`,
);

const LAST_FETCHED = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<LastPull>`
      select ${LAST_PULL} from bill_pull where organization_id = ${organizationId} group by connection_id`,
);

const LAST_FETCHED_OF_ONE = statement(
  (input: Parameters<{ organizationId: OrganizationId; connectionId: string }>) =>
    sql<LastPull>`
      select ${LAST_PULL} from bill_pull
      where organization_id = ${input.organizationId} and connection_id = ${input.connectionId} group by connection_id`,
);

/** Null if nothing was pulled for the connection yet. */
export function findLastPull(
  tx: Transaction,
  organizationId: OrganizationId,
  connectionId: string,
): Promise<LastPull | null> {
  return tx.first(LAST_FETCHED_OF_ONE, { organizationId, connectionId });
}

export function listLastPulls(tx: Transaction, organizationId: OrganizationId): Promise<LastPull[]> {
  return tx.all(LAST_FETCHED, { organizationId });
}
