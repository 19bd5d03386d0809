/** Checks whether a server fails to archive its WAL, and whether replicas have fallen behind. */
import type { ClientBase } from 'pg';

export interface WalState {
  /** Null if the server does not archive. */
  readonly isArchiveFailing: boolean | null;
  /** Replication slots that hold more WAL than `max_wal_size`, or whose WAL is lost. */
  readonly slotsBehind: number;
}

const READ = `
  select case when current_setting('archive_mode') <> 'off'
      then coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) end as "isArchiveFailing",
    (select count(*)::int from pg_replication_slots where wal_status <> 'reserved') as "slotsBehind"
  from pg_stat_archiver`;

/** Any role may read it. */
export async function readWalState(client: Pick<ClientBase, 'query'>, millisecondsMax: number): Promise<WalState> {
  const query = { text: READ, query_timeout: millisecondsMax };
  const { rows } = await client.query<WalState>(query);
  return rows[0] ?? { isArchiveFailing: null, slotsBehind: 0 };
}
