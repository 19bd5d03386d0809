/** Removes what is left of operations that came to their end long ago: every change of rates leaves one, and so does each day. */
import type { EntityManager } from '../database/open-database.ts';
import { query } from '../database/sql.ts';

const KEPT_DAYS = 30;
const ROWS_MAX = 1_000;

/**
 * Finished ones alone: those that were cancelled or have failed wait for someone. The last one of each kind stays, for whoever asks when
 * it was. Returns how many went.
 */
export async function pruneOperations(em: EntityManager): Promise<number> {
  const gone = await query(
    em,
    `
    delete from operation where (organization_id, id) in (
      select organization_id, id from operation old
      where state = 'finished' and next_step_at < now() - interval '${KEPT_DAYS} days' and finished_at < now() - interval '${KEPT_DAYS} days'
        and exists (
          select from operation later where later.organization_id = old.organization_id and later.kind = old.kind
            and later.state = 'finished' and (later.finished_at, later.id) > (old.finished_at, old.id))
      limit ${ROWS_MAX} for update skip locked)
    returning 1`,
  );
  return gone.length;
}
