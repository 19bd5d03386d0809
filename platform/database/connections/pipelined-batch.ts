/**
 * Sends several statements as one message of the extended protocol, with one Sync at its end: one write and one
 * response. Without a `begin`, the whole message is one transaction. If a statement fails, the following ones do not
 * run. A connection parses and describes each statement once. Implements `pg`'s interface for custom queries
 * (`Submittable`), as `pg-cursor` does.
 */
import type pg from 'pg';
import { camelCase } from '../camel-case.ts';
import type { BoundValue } from './bind-value.ts';

export interface BatchStatement {
  readonly text: string;
  readonly values: readonly BoundValue[];
  /** True if the text contains values, so that the connection must not cache it. */
  readonly isOnce?: boolean;
}

export interface BatchOutcome {
  /** The rows of each statement that succeeded, in order, with camelCase names. */
  readonly results: readonly object[][];
  /** Why the next statement failed; null if all succeeded. */
  readonly error: Error | null;
}

type Fields = readonly (string | null)[];

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

interface Description {
  readonly columns: readonly Column[];
  /** Copies of one object share its hidden class: assigning to them is fast. */
  readonly empty: Readonly<Record<string, unknown>>;
}

interface PreparedStatement {
  readonly name: string;
  /** Null until the first answer. */
  description: Description | null;
}

/** Limit per connection. There are far fewer texts, and none contains a caller's values. */
const STATEMENTS_MAX = 500;
const NO_ROWS: Description = { columns: [], empty: {} };
const UNNAMED = '';

export class PipelinedBatch implements pg.Submittable {
  readonly #typeParser: pg.Client['getTypeParser'];
  readonly #statements: readonly BatchStatement[];
  readonly #settle: (outcome: BatchOutcome) => void;
  readonly #results: object[][] = [];
  #prepared: readonly PreparedStatement[] = [];
  #known: KnownStatements = { byText: new Map(), names: 0 };
  /** Names of the statements that this message parses, by index. */
  readonly #parsed = new Map<number, string>();
  #rows: object[] = [];

  constructor(
    typeParser: pg.Client['getTypeParser'],
    statements: readonly BatchStatement[],
    settle: (outcome: BatchOutcome) => void,
  ) {
    this.#typeParser = typeParser;
    this.#statements = statements;
    this.#settle = settle;
  }

  submit(connection: pg.Connection): void {
    this.#known = preparedOn(connection);
    const { stream } = connection;
    stream.cork();
    this.#prepared = this.#statements.map((statement, index) => this.#send(connection, statement, index));
    connection.sync();
    stream.uncork();
  }

  #send(connection: pg.Connection, { text, values, isOnce }: BatchStatement, index: number): PreparedStatement {
    let prepared = this.#known.byText.get(text);
    if (prepared === undefined) {
      prepared = isOnce ? { name: UNNAMED, description: null } : prepare(this.#known, text);
      this.#parsed.set(index, text);
      connection.parse({ name: prepared.name, text, types: [] }, true);
    }
    connection.bind({ statement: prepared.name, values: values as BoundValue[] }, true);
    if (prepared.description === null) connection.describe({ type: 'P', name: '' }, true);
    connection.execute(null, true);
    return prepared;
  }

  get #current(): PreparedStatement {
    return this.#prepared[this.#results.length]!;
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name: camelCase(name),
      parse: this.#typeParser(dataTypeID) as (text: string) => unknown,
    }));
    this.#current.description = { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#rows.push(toRow(this.#current.description!, fields));
  }

  handleCommandComplete(): void {
    this.#current.description ??= NO_ROWS;
    this.#results.push(this.#rows);
    this.#rows = [];
  }

  handleError(error: Error): void {
    // The server may or may not have parsed the statements that did not run, so they are parsed again under another
    // name.
    for (const [index, text] of this.#parsed) if (index >= this.#results.length) this.#known.byText.delete(text);
    this.#settle({ results: this.#results, error });
  }

  handleReadyForQuery(): void {
    this.#settle({ results: this.#results, error: null });
  }
}

function toRow({ columns, empty }: Description, fields: Fields): object {
  const row: Record<string, unknown> = Object.assign({}, empty);
  for (let index = 0; index < columns.length; index++) {
    const { name, parse } = columns[index]!;
    const text = fields[index]!;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}

/** The statements that a connection has prepared, and the number of names used. */
interface KnownStatements {
  readonly byText: Map<string, PreparedStatement>;
  names: number;
}

const knownStatements = new WeakMap<pg.Connection, KnownStatements>();

function preparedOn(connection: pg.Connection): KnownStatements {
  const known = knownStatements.get(connection) ?? { byText: new Map(), names: 0 };
  knownStatements.set(connection, known);
  return known;
}

function prepare(known: KnownStatements, text: string): PreparedStatement {
  if (known.names >= STATEMENTS_MAX) return { name: UNNAMED, description: null };
  const statement = { name: `batched_${known.names++}`, description: null };
  known.byText.set(text, statement);
  return statement;
}
