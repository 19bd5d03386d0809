/** Reads by statements that a connection prepares once and describes once, and with a transaction of their own in one message. */
import type pg from 'pg';
import { serialize } from 'pg-protocol';
import type { ByteRow, TakeRow } from './byte-rows.ts';
import { type Connection, internalsOf } from './internals.ts';
import {
  COMMITTING,
  DESCRIBE,
  describeRows,
  EXECUTE,
  type Fields,
  PreparedStatements,
  type PreparedStatement,
  printValues,
  rowOf,
  settingOrganization,
  SYNC,
} from './prepared-statements.ts';

export interface PreparedRead {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The transaction that leaves with it, in one message; null: none. */
  readonly transaction: OwnTransaction | null;
}

/**
 * Of an organization: the message itself is the transaction, which is over with it whatever happens. Or begun by `commands`, none where it
 * has begun already, and committed: each is answered by itself, and where one fails `rollback` must end it.
 */
export type OwnTransaction = { readonly organizationId: string } | { readonly commands: readonly string[] };

/** Rows whose names are camelCase. What lies inside a value, such as JSON, stays as it is. */
export async function readRows(client: pg.Client, read: PreparedRead): Promise<object[]> {
  const rows: object[] = [];
  const query = new ReadQuery(client, read, null, (fields) => rows.push(query.rowOf(fields)));
  await query.run();
  return rows;
}

/** Calls `take` for each row. Fails with what that throws, and does not call it again. */
export function readByteRows(client: pg.Client, read: PreparedRead, take: TakeRow): Promise<void> {
  return new ReadQuery(client, read, take, () => {}).run();
}

/** What `pg` calls while a query is under way. */
class ReadQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly #client: pg.Client;
  readonly #connection: Connection;
  readonly #transaction: OwnTransaction | null;
  /** Statements that are answered before its own. */
  readonly #before: number;
  readonly #takeBytes: TakeRow | null;
  readonly #takeFields: (fields: Fields) => void;
  #statement: PreparedStatement | null = null;
  #isNew = false;
  #completed = 0;
  #failure: Error | null = null;
  #settle: { resolve: () => void; reject: (error: Error) => void } | null = null;

  constructor(
    client: pg.Client,
    { text, values, transaction }: PreparedRead,
    takeBytes: TakeRow | null,
    takeFields: (fields: Fields) => void,
  ) {
    this.text = text;
    this.values = values;
    this.#client = client;
    this.#connection = internalsOf(client);
    this.#transaction = transaction;
    this.#before = transaction === null ? 0 : 'commands' in transaction ? transaction.commands.length : 1;
    this.#takeBytes = takeBytes;
    this.#takeFields = takeFields;
  }

  rowOf(fields: Fields): object {
    return rowOf(this.#statement!.description!, fields);
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#client.query(this);
    });
  }

  submit(): Error | null {
    let messages: Buffer[];
    try {
      messages = this.#messages();
    } catch (error) {
      return error as Error;
    }
    this.#connection.stream.write(Buffer.concat(messages));
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    if (this.#takeBytes) {
      this.#connection.areRowsBytes = true;
      return;
    }
    this.#statement!.description = describeRows(this.#client, fields);
  }

  handleDataRow(message: { readonly fields: Fields; readonly row: ByteRow }): void {
    if (this.#failure) return;
    try {
      if (this.#takeBytes) this.#takeBytes(message.row);
      else this.#takeFields(message.fields);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete(): void {
    this.#completed += 1;
    this.#connection.areRowsBytes = this.#takeBytes !== null && this.#completed === this.#before;
  }

  handleError(error: Error): void {
    this.#connection.areRowsBytes = false;
    if (this.#isNew) PreparedStatements.of(this.#client).forget(this.text);
    this.#settle?.reject(this.#failure ?? error);
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.#settle?.reject(this.#failure);
    else this.#settle?.resolve();
  }

  #messages(): Buffer[] {
    // Before anything is noted: it throws where a value cannot be printed, and then nothing is sent.
    const values = printValues(this.values);
    const prepared = PreparedStatements.of(this.#client);
    const messages = prepared.beginning();
    const transaction = this.#transaction;
    if (transaction !== null && 'organizationId' in transaction)
      messages.push(...settingOrganization(transaction.organizationId));
    const commands = transaction !== null && 'commands' in transaction ? transaction.commands : null;
    for (const text of commands ?? []) messages.push(serialize.parse({ text }), serialize.bind(), EXECUTE);
    const { statement, parse } = prepared.statement(this.text);
    this.#statement = statement;
    this.#isNew = parse !== null;
    if (parse) messages.push(parse);
    messages.push(serialize.bind({ statement: statement.name, values }));
    // Of bytes no names are needed, but behind other statements a word that these rows begin.
    const isDescribed = this.#takeBytes ? this.#before === 0 : statement.description === null;
    if (isDescribed) messages.push(DESCRIBE);
    messages.push(EXECUTE, ...(commands ? COMMITTING : []), SYNC);
    return messages;
  }
}
