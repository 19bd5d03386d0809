/** Connection pools in addition to the ORM's. Their connections take a role at startup and keep it. */
import { createPostgreSqlTypeParsers } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { ConnectionTarget } from './connection-target.ts';
import { type Sample, observedGauges } from '../../metrics.ts';
import { type ExpectedSession, type GuardedConfig, poolConfig } from './guarded-client.ts';

/**
 * A new connection costs milliseconds and prepares its statements again, so idle ones are kept for occasional reads.
 */
const IDLE_MILLISECONDS = 300_000;

export interface RolePoolOptions {
  /** Name in metrics. */
  readonly name: string;
  readonly max: number;
  /** Sends statements without waiting for earlier responses. */
  readonly pipeline?: boolean;
  /** Time limit for a statement. */
  readonly statementSeconds?: number;
  /** Further PostgreSQL settings for each connection. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Opens no connection before the first use. */
export function poolAs(
  role: string,
  target: ConnectionTarget,
  { name, statementSeconds, settings = {}, ...options }: RolePoolOptions,
): pg.Pool {
  const statementMilliseconds = statementSeconds === undefined ? null : statementSeconds * 1_000;
  const limit = statementMilliseconds === null ? {} : { statement_timeout: String(statementMilliseconds) };
  const startUp = Object.entries({ role, timezone: 'UTC', ...limit, ...settings });
  const expected: ExpectedSession = { role, statementMilliseconds };
  const pool = new pg.Pool({
    ...poolConfig(target),
    ...({ expected } satisfies GuardedConfig),
    options: startUp.map(([setting, value]) => `-c ${setting}=${value}`).join(' '),
    types: { getTypeParser },
    allowExitOnIdle: true,
    idleTimeoutMillis: IDLE_MILLISECONDS,
    ...options,
  });
  // A connection lost while idle is replaced at the next use. An `error` event without a listener would end the
  // process.
  pool.on('error', () => {});
  watchPool(target, name, pool);
  return pool;
}

/** The pools of each target, by name. A target owns its pools. */
const poolsOf = new WeakMap<ConnectionTarget, Map<string, pg.Pool>>();

/** Adds a pool to the metrics of its database; see {@link observePools}. */
export function watchPool(target: ConnectionTarget, name: string, pool: pg.Pool): void {
  const pools = poolsOf.get(target) ?? new Map<string, pg.Pool>();
  poolsOf.set(target, pools.set(name, pool));
}

/** Reports the connections of all pools of a target as metrics of this database. */
export function observePools(database: string, target: ConnectionTarget): void {
  const samples = (of: (pool: pg.Pool) => Readonly<Record<string, number>>, label: string) => async () =>
    [...(poolsOf.get(target) ?? [])].flatMap(([pool, watched]): Sample[] =>
      Object.entries(of(watched)).map(([value, count]) => ({
        labels: { database, pool, ...(label === '' ? {} : { [label]: value }) },
        value: count,
      })),
    );
  const labels = ['database', 'pool'];
  observedGauges(
    {
      name: 'books_database_pool_connections',
      help: 'Open connections of a pool, in use or idle.',
      labels: [...labels, 'state'],
      key: database,
      ofWorkers: 'sum',
    },
    samples(({ totalCount, idleCount }) => ({ used: totalCount - idleCount, idle: idleCount }), 'state'),
  );
  observedGauges(
    {
      name: 'books_database_pool_waiting',
      help: 'Callers waiting for a connection of a pool.',
      labels,
      key: database,
      ofWorkers: 'sum',
    },
    samples(({ waitingCount }) => ({ waitingCount }), ''),
  );
  observedGauges(
    {
      name: 'books_database_pool_connections_max',
      help: 'Maximum number of connections of a pool.',
      labels,
      key: database,
      ofWorkers: 'sum',
    },
    samples(({ options }) => ({ max: options.max }), ''),
  );
}

/** Parses values like the ORM: instants and dates stay text. */
type Parser = (text: string) => unknown;
const parserOf = pg.types.getTypeParser as (oid: number, format?: string) => Parser;
const TEXT_ARRAY_OID = 1009;
const ormParsers: Readonly<Record<number, Parser>> = createPostgreSqlTypeParsers(
  parserOf(TEXT_ARRAY_OID) as (text: string) => string[],
);

export const getTypeParser = ((oid: number, format?: string) =>
  ormParsers[oid] ?? parserOf(oid, format)) as typeof pg.types.getTypeParser;
