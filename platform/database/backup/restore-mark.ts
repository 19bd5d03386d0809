/** A table that exists while a restore is in progress, so that the service does not start on partial data. */
import type pg from 'pg';

export const RESTORE_MARK = 'unfinished_restore';

export async function isRestoreUnfinished(client: pg.Client): Promise<boolean> {
  const {
    rows: [state],
  } = await client.query<{ unfinished: boolean }>('select to_regclass($1) is not null as unfinished', [RESTORE_MARK]);
  return state?.unfinished ?? false;
}
