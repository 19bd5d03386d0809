/** The newest pull of each connection. */
import type { Transaction } from '#platform/database/transaction.ts';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { LastPull } from './bill-connection-view.ts';

const LAST_FETCHED = statement(
  ({ organizationId }: Parameters<{ organizationId: string }>) =>
    sql<LastPull>`
      select connection_id, ${sql.raw(isoMillis('max(fetched_at)'))} as fetched_at, max(to_day)::text as to_day, count(*)::int as pulls
      from bill_pull where organization_id = ${organizationId} group by connection_id`,
);

export function listLastPulls(tx: Transaction, organizationId: string): Promise<LastPull[]> {
  return tx.all(LAST_FETCHED, { organizationId });
}
