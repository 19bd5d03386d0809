/** Opens one subgraph's database. Every connection that is used outside this folder has taken a role. */
import type { OrganizationId } from '#kernel/ids.ts';
import { fileURLToPath } from 'node:url';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import pg from 'pg';
import { STATEMENT_SECONDS } from '../config.ts';
import { DATABASE_POOLS, type DatabasePools } from '../observability/operations-settings.ts';
import { announcerWith } from './announce.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { serverOf } from './connections/database-server.ts';
import { poolConfig } from './connections/guarded-client.ts';
import { booksDialect } from './connections/kysely-dialect.ts';
import { isDistributed } from './nodes/distribution.ts';
import { type MigrationHistory, readMigrationHistory } from './migrations/migration-history.ts';
import { type EarlierMigration, readEarlierMigrations } from './migrations/earlier-migrations.ts';
import { type LookUps, lookUpsAs } from './look-up.ts';
import { getTypeParser, observePools, watchPool } from './connections/pool-as.ts';
import { readTransactionsAs } from './read-transactions.ts';
import { fairShare } from './fair-share.ts';
import { jobsRole, servingRole, setLocal } from './roles.ts';
import { query } from './sql.ts';
import type { ReportView } from './sql-access/report-view.ts';
import { type Transaction, WriteTransaction } from './transaction.ts';
import { IDLE_IN_TRANSACTION_MILLISECONDS, writeError, writeShare } from './tenant-limits.ts';
import { afterTicks } from '../clock.ts';

/** A subgraph's data. Every query runs in one of these transactions, under row-level security. */
export interface Database {
  readonly name: string;
  /**
   * A transaction for one organization: PostgreSQL refuses rows of any other. Fails with `RATE_LIMIT_EXCEEDED` if the
   * organization exceeds its share of connections or a statement takes too long. Do not nest.
   */
  write<T>(organizationId: OrganizationId, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /** Like `write`, read-only and with one snapshot for all statements. */
  entitySnapshot<T>(organizationId: OrganizationId, work: (tx: WriteTransaction) => Promise<T>): Promise<T>;
  /** A read-only transaction without the ORM: one snapshot and fewer round trips, on separate connections. */
  snapshot<T>(organizationId: OrganizationId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Like `snapshot`, for exactly one statement, in one message. A second statement fails. Statements that are point reads
   * are batched with others of the same event-loop tick.
   */
  find<T>(organizationId: OrganizationId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * For jobs and services across organizations, never for a customer's request. `isDurable: false` is for writes that
   * can be repeated: their commit does not wait for the disk.
   */
  system<T>(work: (tx: WriteTransaction) => Promise<T>, options?: { readonly isDurable: boolean }): Promise<T>;
  /** Point reads before an organization is known, such as credentials. */
  readonly lookUps: LookUps;
  readonly orm: MikroORM;
  readonly target: ConnectionTarget;
  readonly migrationHistory: MigrationHistory;
  /** Migrations that `version-1` replaced, for databases and backups from before version 1.0. */
  readonly earlierMigrations: readonly EarlierMigration[];
  /** Views for SQL tools; empty if the database has none. */
  readonly reportViews: readonly ReportView[];
  close(): Promise<void>;
}

/** Results of `defineEntity`, one per table. */
export type Entities = NonNullable<Options['entities']>;

export interface DatabaseOptions {
  name: string;
  target: ConnectionTarget;
  entities: Entities;
  migrationsFolder: URL;
  reportViews?: readonly ReportView[];
  /** Pool sizes for writing and reading. */
  pools?: DatabasePools;
  /** Time limit for a statement of a request. */
  statementSeconds?: number;
}

const CLOSE_TICKS_MAX = 3;

const SNAPSHOT = 'set transaction isolation level repeatable read read only';

/**
 * The embedded server would stop on a full disk and could not recover, so writes are refused before that. Has the code of
 * PostgreSQL's own error.
 */
class DiskAlmostFullError extends Error {
  readonly code = '53100';

  constructor() {
    super('The disk of the database is almost full');
    this.name = 'DiskAlmostFullError';
  }
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { name, pools = DATABASE_POOLS, statementSeconds = STATEMENT_SECONDS } = options;
  // A copy, whose identity marks our connections.
  const target = { ...options.target };
  const migrationsPath = fileURLToPath(options.migrationsFolder);
  const pool = new pg.Pool({ ...poolConfig(target), types: { getTypeParser }, max: pools.write });
  // A connection that is lost while idle is replaced at the next use; an `error` without a listener ends the process.
  pool.on('error', () => {});
  watchPool(target, 'write', pool);
  const orm = await MikroORM.init({
    entities: options.entities,
    // The ORM finds the current transaction by this name: one subgraph's transaction may call another subgraph.
    contextName: name,
    ...target,
    driverOptions: booksDialect(pool),
    extensions: [Migrator],
    migrations: {
      path: migrationsPath,
      pathTs: migrationsPath,
      glob: '!(*.d).ts',
      emit: 'ts',
      snapshot: true,
      snapshotOnMigrate: false,
      snapshotName: '.snapshot',
      silent: true,
      disableForeignKeys: false,
      fileName: (timestamp: string, title?: string) => `${timestamp}-${title ?? 'change'}`,
    },
    // Migrations create functions by hand: the snapshot beside them cannot contain any.
    schemaGenerator: { disableForeignKeys: false, ignoreRoutines: true },
    forceUtcTimezone: true,
    preferTs: true,
    // A wrong address fails at the first transaction with PostgreSQL's own error.
    ensureDatabase: false,
  });
  const lookUps = lookUpsAs(jobsRole(name), target);
  const announce = announcerWith(lookUps);
  const transaction = async <T>(
    opening: string,
    work: (tx: WriteTransaction) => Promise<T>,
    writes = true,
  ): Promise<T> => {
    if (writes && target.isAlmostFull?.()) throw new DiskAlmostFullError();
    const em = orm.em.fork({ clear: true });
    let announced: ReadonlySet<string> = new Set();
    const result = await em.transactional<T>(async (inner) => {
      const tx = new WriteTransaction(inner);
      announced = tx.announced;
      await query(tx, opening);
      return work(tx);
    });
    announced.forEach(announce);
    return result;
  };
  const reads = readTransactionsAs(servingRole(name), target, {
    statementSeconds,
    connections: pools.read,
    isOnNodes: () => isDistributed(orm),
  });
  const share = fairShare(writeShare(pools.write), () => serverOf(target).findOutage());
  observePools(name, target);
  const limits = {
    statement_timeout: `${statementSeconds}s`,
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MILLISECONDS),
  };
  const settingsOf = (organizationId: OrganizationId) =>
    setLocal({ role: servingRole(name), 'app.organization_id': organizationId, ...limits });
  const ofRequest = <T>(
    organizationId: OrganizationId,
    opening: string,
    work: (tx: WriteTransaction) => Promise<T>,
    writes = true,
  ): Promise<T> =>
    share.run(organizationId, async () => {
      try {
        return await transaction(opening, work, writes);
      } catch (error) {
        throw writeError(error, statementSeconds);
      }
    });
  return {
    name,
    lookUps,
    orm,
    target,
    migrationHistory: readMigrationHistory(options.migrationsFolder),
    earlierMigrations: readEarlierMigrations(options.migrationsFolder),
    reportViews: options.reportViews ?? [],
    write: (organizationId, work) => ofRequest(organizationId, settingsOf(organizationId), work),
    entitySnapshot: (organizationId, work) =>
      ofRequest(organizationId, `${SNAPSHOT}; ${settingsOf(organizationId)}`, work, false),
    snapshot: reads.run,
    find: reads.find,
    system: (work, { isDurable } = { isDurable: true }) =>
      transaction(
        setLocal({
          role: jobsRole(name),
          idle_in_transaction_session_timeout: limits.idle_in_transaction_session_timeout,
          ...(isDurable ? {} : { synchronous_commit: 'off' }),
        }),
        work,
      ),
    close: async () => {
      // Connections still in use have had enough time; a frozen database would never release them.
      const inTime = afterTicks(CLOSE_TICKS_MAX, () =>
        serverOf(target).destroy(new Error(`Database ${name} is closed`), target),
      );
      await Promise.all([lookUps.close(), reads.close(), orm.close(true)]);
      inTime();
    },
  };
}
