/** Reads by statements that a connection prepares once and describes once, and with its own transaction in one message. */
import { createRequire } from 'node:module';
import type pg from 'pg';
import { serialize } from 'pg-protocol';
import { camelCase } from '../camel-case.ts';
import type { ByteRow, TakeRow } from './byte-rows.ts';
import { type Connection, internalsOf } from './internals.ts';

/** How `pg` prints a parameter. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  readonly prepareValue: (value: unknown) => string | Buffer | null;
};

export interface PreparedRead {
  readonly text: string;
  readonly values: readonly unknown[];
  /**
   * Commands with which a transaction of its own begins; it ends in the same message. Each message is answered by itself, and wakes who waits.
   * Where it fails, the transaction is still open: `rollback` ends it.
   */
  readonly alone: readonly string[] | null;
}

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

type Fields = readonly (string | null)[];

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What its first answer says of a statement. */
interface Description {
  readonly columns: readonly Column[];
  /** Copies of one object share its hidden class: assigning to them is fast. */
  readonly empty: Readonly<Record<string, unknown>>;
}

/** A statement of a connection. */
interface Statement {
  readonly name: string;
  /** Null until its first answer. */
  description: Description | null;
}

/** Of so many texts; there are far fewer, but none is made of what a caller sends. */
const STATEMENTS_MAX = 500;

/** What a connection has prepared, by the text, and how many names it has given. */
interface Prepared {
  readonly statements: Map<string, Statement>;
  names: number;
}

const preparedBy = new WeakMap<pg.Client, Prepared>();

const COMMIT = { name: 'commit', text: 'commit' };
const EXECUTE = serialize.execute();
const SYNC = serialize.sync();
const DESCRIBE = serialize.describe({ type: 'P' });
const ENDING = [serialize.bind({ statement: COMMIT.name }), EXECUTE];

/** What `pg` calls while a query is under way. */
class ReadQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly #client: pg.Client;
  readonly #connection: Connection;
  readonly #commands: readonly string[] | null;
  readonly #takeBytes: TakeRow | null;
  readonly #takeFields: (fields: Fields) => void;
  #statement: Statement | null = null;
  #isNew = false;
  #completed = 0;
  #failure: Error | null = null;
  #settle: { resolve: () => void; reject: (error: Error) => void } | null = null;

  constructor(
    client: pg.Client,
    { text, values, alone }: PreparedRead,
    takeBytes: TakeRow | null,
    takeFields: (fields: Fields) => void,
  ) {
    this.text = text;
    this.values = values;
    this.#client = client;
    this.#connection = internalsOf(client);
    this.#commands = alone;
    this.#takeBytes = takeBytes;
    this.#takeFields = takeFields;
  }

  rowOf(fields: Fields): object {
    const { columns, empty } = this.#statement!.description!;
    const row = { ...empty };
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!;
      const text = fields[index]!;
      row[name] = text === null ? null : parse(text);
    }
    return row;
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
    const columns = fields.map(({ name, dataTypeID }) => ({
      name: camelCase(name),
      parse: this.#client.getTypeParser(dataTypeID) as (text: string) => unknown,
    }));
    this.#statement!.description = { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
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
    this.#connection.areRowsBytes = this.#takeBytes !== null && this.#completed === this.#commands?.length;
  }

  handleError(error: Error): void {
    this.#connection.areRowsBytes = false;
    // Whether it was prepared is not known: it is prepared under another name the next time.
    if (this.#isNew) preparedBy.get(this.#client)?.statements.delete(this.text);
    this.#settle?.reject(this.#failure ?? error);
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.#settle?.reject(this.#failure);
    else this.#settle?.resolve();
  }

  #messages(): Buffer[] {
    // Before anything is noted: it throws where a value cannot be printed, and then nothing is sent.
    const values = this.values.map(prepareValue);
    const prepared = preparedBy.get(this.#client) ?? { statements: new Map<string, Statement>(), names: 0 };
    const messages: Buffer[] = [];
    if (prepared.names === 0) messages.push(serialize.parse(COMMIT));
    preparedBy.set(this.#client, prepared);
    for (const text of this.#commands ?? []) messages.push(serialize.parse({ text }), serialize.bind(), EXECUTE);
    const known = prepared.statements.get(this.text);
    const statement = known ?? {
      name: prepared.names < STATEMENTS_MAX ? `read_${prepared.names++}` : '',
      description: null,
    };
    this.#statement = statement;
    this.#isNew = known === undefined;
    if (!known) {
      messages.push(serialize.parse({ name: statement.name, text: this.text }));
      if (statement.name !== '') prepared.statements.set(this.text, statement);
    }
    messages.push(serialize.bind({ statement: statement.name, values }));
    // Of bytes no names are needed, but behind other statements a word that these rows begin.
    const isDescribed = this.#takeBytes ? this.#commands === null : statement.description === null;
    if (isDescribed) messages.push(DESCRIBE);
    messages.push(EXECUTE, ...(this.#commands ? ENDING : []), SYNC);
    return messages;
  }
}
