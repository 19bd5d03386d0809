/** Connections that wait for a lock: a test can tell from them that a transaction has reached another one's lock. */
import { expect } from 'vitest';

const WAITING =
  'select distinct pid from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted';

/** Waits until this many connections of the database wait for locks. `rows` runs a statement in that database. */
export async function untilWaiting(rows: (text: string) => Promise<readonly object[]>, count: number): Promise<void> {
  await expect.poll(() => rows(WAITING)).toHaveLength(count);
}
