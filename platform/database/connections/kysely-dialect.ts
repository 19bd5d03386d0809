/**
 * Connects the ORM to our connections through Kysely's dialect interface. `begin` is sent with a transaction's first
 * statement, and `commit` with a statement marked `commits`: two round trips less.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type pg from 'pg';
import { inStatementSpan } from '../../observability/tracing.ts';
import { bindValue } from './bind-value.ts';
import type { GuardedClient } from './guarded-client.ts';
import type { PreparedSql } from './prepared-sql.ts';

/** A statement that our executor passes through Kysely. */
export interface PreparedQuery extends CompiledQuery {
  readonly prepared?: PreparedSql;
}

export function booksDialect(pool: pg.Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => new BooksDriver(pool),
  };
}

class BooksDriver implements Driver {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<BooksConnection> {
    return new BooksConnection((await this.#pool.connect()) as pg.PoolClient & GuardedClient);
  }

  async beginTransaction(connection: BooksConnection, settings: TransactionSettings): Promise<void> {
    connection.begin(settings);
  }

  commitTransaction(connection: BooksConnection): Promise<void> {
    return connection.end('commit');
  }

  rollbackTransaction(connection: BooksConnection): Promise<void> {
    return connection.end('rollback');
  }

  async savepoint(connection: BooksConnection, name: string): Promise<void> {
    await connection.run(`savepoint "${name}"`);
  }

  async rollbackToSavepoint(connection: BooksConnection, name: string): Promise<void> {
    await connection.run(`rollback to savepoint "${name}"`);
  }

  async releaseSavepoint(connection: BooksConnection, name: string): Promise<void> {
    await connection.run(`release savepoint "${name}"`);
  }

  async releaseConnection(connection: BooksConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

/** One use of a pooled connection. */
class BooksConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient & GuardedClient;
  /** A `begin` that has not been sent yet. */
  #begin: string | null = null;
  #hasCommitted = false;

  constructor(client: pg.PoolClient & GuardedClient) {
    this.#client = client;
  }

  begin({ isolationLevel, accessMode }: TransactionSettings): void {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : '';
    this.#begin = `begin${level}${accessMode ? ` ${accessMode}` : ''}`;
  }

  async end(command: 'commit' | 'rollback'): Promise<void> {
    const hasNothingOpen = this.#begin !== null || this.#hasCommitted;
    this.#begin = null;
    this.#hasCommitted = false;
    if (!hasNothingOpen) await this.#client.query(command);
  }

  async run(text: string): Promise<void> {
    await this.#open();
    await this.#client.query(text);
  }

  async executeQuery<Row>(query: PreparedQuery): Promise<QueryResult<Row>> {
    if (this.#hasCommitted) throw new Error('The transaction was committed with its last statement');
    const { sql, parameters, prepared } = query;
    if (prepared?.commits) return this.#executeAndCommit(prepared, parameters);
    if (this.#begin !== null && parameters.length === 0 && !prepared) {
      const text = `${this.#begin}; ${sql}`;
      this.#begin = null;
      const results = (await this.#client.query(text)) as unknown as pg.QueryResult[];
      return toResult(results.at(-1)!);
    }
    await this.#open();
    const result = await this.#client.query({
      text: sql,
      values: [...parameters],
      ...(prepared ? { name: prepared.name } : {}),
    });
    return toResult(result);
  }

  async #executeAndCommit<Row>({ text }: PreparedSql, parameters: readonly unknown[]): Promise<QueryResult<Row>> {
    await this.#open();
    const statements = [
      { text, values: parameters.map(bindValue) },
      { text: 'commit', values: [] },
    ];
    return inStatementSpan(text, this.#client.database ?? '', async () => {
      const { results, error } = await this.#client.batch(statements);
      if (error) throw error;
      this.#hasCommitted = true;
      return { rows: results[0] as Row[] };
    });
  }

  // oxlint-disable-next-line require-yield -- the interface wants a generator
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streams are not supported: read in pages');
  }

  release(): void {
    this.#client.release();
  }

  async #open(): Promise<void> {
    if (this.#begin === null) return;
    const text = this.#begin;
    this.#begin = null;
    await this.#client.query(text);
  }
}

const COUNTED = /^(INSERT|UPDATE|DELETE|MERGE)$/;

function toResult<Row>({ command, rowCount, rows }: pg.QueryResult): QueryResult<Row> {
  return {
    ...(COUNTED.test(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}),
    rows: rows as Row[],
  };
}
