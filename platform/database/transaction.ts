/** Transactions, with one method for each number of rows that a statement may return. */
import { CompiledQuery } from 'kysely';
import type { EntityManager } from '@mikro-orm/postgresql';
import { camelCaseRows } from './camel-case.ts';
import type { PreparedQuery } from './connections/kysely-dialect.ts';
import type { PreparedSql } from './connections/prepared-sql.ts';
import { isDistributed } from './nodes/distribution.ts';
import type { Statement } from './statement.ts';

/** Sends one SQL text and returns its rows with camelCase names. */
type Send = (sql: string | PreparedSql, values: readonly unknown[], isPointRead?: boolean) => Promise<object[]>;

export class Transaction {
  readonly send: Send;
  readonly #isOnNodes: boolean;

  constructor(send: Send, isOnNodes: boolean) {
    this.send = send;
    this.#isOnNodes = isOnNodes;
  }

  /** All rows. */
  async all<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row[]> {
    const { sql, values, isPointRead } = (this.#isOnNodes ? statement.onSeveralNodes : null) ?? statement;
    return (await this.send(sql, values(input), isPointRead)) as Row[];
  }

  /** The row of a statement that always returns one. */
  async one<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row> {
    const [row] = await this.all(statement, input);
    if (row === undefined) throw new Error('Expected one row, got none');
    return row;
  }

  /** The first row, or null. */
  async first<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null> {
    const [row] = await this.all(statement, input);
    return row ?? null;
  }

  /** Runs a statement and ignores its rows. */
  async run<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<void> {
    await this.all(statement, input);
  }
}

export class WriteTransaction extends Transaction {
  /** The ORM, for single rows that are loaded, changed and saved. */
  readonly em: EntityManager;
  /** Channels on which jobs are notified after the commit. */
  readonly announced = new Set<string>();

  constructor(em: EntityManager) {
    super(async (sql, values) => {
      const prepared = typeof sql === 'string' ? null : sql;
      const query: PreparedQuery = {
        ...CompiledQuery.raw(prepared?.text ?? (sql as string), [...values]),
        ...(prepared ? { prepared } : {}),
      };
      const result = await em.getKysely<unknown>().executeQuery<object>(query);
      return camelCaseRows(result.rows);
    }, isDistributed({ em }));
    this.em = em;
  }
}
