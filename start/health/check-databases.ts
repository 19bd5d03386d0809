/** Checks whether the databases of this process are usable, for its readiness and metrics. */
import { checkDatabase, type DatabaseState } from '#platform/database/check-database.ts';
import type { Database } from '#platform/database/open-database.ts';
import { observedGauges } from '#platform/metrics.ts';
import { observeWal } from './observe-wal.ts';
import { DATABASE_MILLISECONDS_MAX, shareCheck } from './share-check.ts';

export interface DatabaseChecks {
  /** State of each database. Concurrent requests share one check. */
  readonly states: readonly (() => Promise<readonly [name: string, state: DatabaseState]>)[];
  close(): Promise<void>;
}

const DATABASE_STATES: readonly DatabaseState[] = [
  'ok',
  'unreachable',
  'unresponsive',
  'overloaded',
  'read-only',
  'disk full',
  'migrations are pending',
];

/** Call it after the migrations, before the process serves requests. */
export async function checkDatabases(subgraphs: readonly { readonly database: Database }[]): Promise<DatabaseChecks> {
  const all = await Promise.all(subgraphs.map(({ database }) => checkDatabase(database, DATABASE_MILLISECONDS_MAX)));
  const states = all.map((database) =>
    shareCheck(async () => [database.name, await database.state()] as const, DATABASE_MILLISECONDS_MAX, [
      database.name,
      'unresponsive',
    ] as const),
  );
  observedGauges(
    {
      name: 'books_database_state',
      help: '1 for the current state of a database, 0 for the others.',
      labels: ['database', 'state'],
    },
    async () =>
      (await Promise.all(states.map((state) => state()))).flatMap(([database, found]) =>
        DATABASE_STATES.map((state) => ({ labels: { database, state }, value: state === found ? 1 : 0 })),
      ),
  );
  for (const database of all) observeWal(database.name, () => database.wal());
  return { states, close: async () => void (await Promise.all(all.map((check) => check.close()))) };
}
