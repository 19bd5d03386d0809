/** Deletes the remaining rollup rows of a key that is no longer wanted or starts over. */
import type { OrganizationId } from '#kernel/ids.ts';
import { inTurn, lookAcross } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { lockOffset } from '../../feed/feed-offset.table.ts';

/** Runs one step. Returns true if there was a key to sweep. */
export async function sweepNext(database: Database, rowsMax: number): Promise<boolean> {
  const [waiting] = await lookAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['rolled_key'],
    text: (table) => `select organization_id from ${table} where ${NEEDS_SWEEP} order by organization_id limit 1`,
    parameters: [],
    compare: inTurn(''),
  });
  if (!waiting) return false;
  await database.system((tx) => sweepKey(tx, waiting.organizationId, rowsMax));
  return true;
}

const NEEDS_SWEEP = "(state = 'clearing' or unswept)";

const LOCK_NEXT_KEY = statement<{ key: string }, { readonly organizationId: OrganizationId }>(`
  select key from rolled_key where organization_id = :organizationId and ${NEEDS_SWEEP}
  order by key limit 1 for update`);

const MARK_SWEPT = statement<
  object,
  { readonly organizationId: OrganizationId; readonly key: string; readonly arrival: string }
>(`
  update rolled_key set unswept = false,
    state = case when state = 'clearing' then 'backfilling' else state end,
    boundary = case when state = 'clearing' then :arrival::bigint end
  where organization_id = :organizationId and key = :key`);

const deleteRows = (table: 'rollup_hour' | 'rollup_day') =>
  statement<
    { deleted: number },
    { readonly organizationId: OrganizationId; readonly key: string; readonly rowsMax: number }
  >(`
    with gone as (
      delete from ${table} where organization_id = :organizationId and ctid = any(array(
        select ctid from ${table} where organization_id = :organizationId and dimension_key = :key limit :rowsMax::int))
      returning 1
    )
    select count(*)::int as deleted from gone`);
const DELETE_HOURS = deleteRows('rollup_hour');
const DELETE_DAYS = deleteRows('rollup_day');

/**
 * Deletes at most `rowsMax` rows of each rollup. No fact can arrive during the step, so the last step of a key that
 * starts over can set its boundary: the backfill adds facts up to it, the follower later ones.
 */
async function sweepKey(tx: WriteTransaction, organizationId: OrganizationId, rowsMax: number): Promise<void> {
  const { arrival } = await lockOffset(tx, organizationId);
  const next = await tx.first(LOCK_NEXT_KEY, { organizationId });
  if (!next) return;
  const { key } = next;
  const hours = await tx.one(DELETE_HOURS, { organizationId, key, rowsMax });
  const days = await tx.one(DELETE_DAYS, { organizationId, key, rowsMax });
  if (hours.deleted === rowsMax || days.deleted === rowsMax) return;
  await tx.run(MARK_SWEPT, { organizationId, key, arrival });
}
