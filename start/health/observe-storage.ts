/** Metrics about the disk of `DATA_DIR`, which holds the embedded database and its WAL, and about backups. */
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { now } from '#platform/clock.ts';
import { observedGauge, observedGauges } from '#platform/metrics.ts';
import { diskSpace } from '../../packages/embedded-postgres/disk-space.ts';

export function observeStorage({ dataDirectory }: { readonly dataDirectory: string }): void {
  observedGauge('books_data_disk_bytes', 'Size of the disk that holds DATA_DIR.', async () => {
    return diskSpace(dataDirectory).bytes;
  });
  observedGauge('books_data_disk_free_bytes', 'Free space on the disk that holds DATA_DIR.', async () => {
    return diskSpace(dataDirectory).freeBytes;
  });
  observedGauges(
    { name: 'books_backup_age_seconds', help: 'Seconds since the last backup, if there was one.', labels: [] },
    async () => {
      const finished = statSync(lastBackupFile(dataDirectory), { throwIfNoEntry: false })?.mtimeMs;
      return finished === undefined ? [] : [{ labels: {}, value: (now().getTime() - finished) / 1_000 }];
    },
  );
}

/** The modification time of this file is the time of the last backup. Operators with their own backup tools can touch it. */
export function recordBackup(dataDirectory: string, takenAt: Date): void {
  const file = lastBackupFile(dataDirectory);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(file, '');
  utimesSync(file, takenAt, takenAt);
}

function lastBackupFile(dataDirectory: string): string {
  return join(dataDirectory, 'last-backup');
}
