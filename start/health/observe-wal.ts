/** Metrics about the WAL of a database's server, for operators who archive it or have replicas. */
import type { WalState } from '#platform/database/read-wal-state.ts';
import { observedGauges } from '#platform/metrics.ts';

/** `read` may fail; the metrics then keep their last values. */
export function observeWal(database: string, read: () => Promise<WalState>): void {
  const labels = { database };
  const state = () => read().catch(() => null);
  const common = { labels: ['database'], key: database };
  observedGauges(
    {
      ...common,
      name: 'books_wal_archive_failing',
      help: '1 if the last attempt to archive WAL failed, else 0; absent without archiving.',
    },
    async () => {
      const found = await state();
      if (found === null) return null;
      return found.isArchiveFailing === null ? [] : [{ labels, value: Number(found.isArchiveFailing) }];
    },
  );
  observedGauges(
    {
      ...common,
      name: 'books_wal_slots_behind',
      help: 'Replication slots that hold more WAL than max_wal_size, or whose WAL is lost.',
    },
    async () => {
      const found = await state();
      return found === null ? null : [{ labels, value: found.slotsBehind }];
    },
  );
}
