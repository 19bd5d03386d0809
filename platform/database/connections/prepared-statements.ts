/** Statements that a connection prepares once, by their text, and is told once what their rows are. */
import { createRequire } from 'node:module';
import type pg from 'pg';
import { serialize } from 'pg-protocol';
import { camelCase } from '../camel-case.ts';

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  readonly prepareValue: (value: unknown) => string | Buffer | null;
};

/** As `pg` prints parameters; what every request sends by a shorter way. Throws where one cannot be printed. */
export function printValues(values: readonly unknown[]): (string | Buffer | null)[] {
  return values.map((value) => {
    if (typeof value === 'string') return value;
    return value instanceof Date && isOfFourDigits(value) ? value.toISOString() : prepareValue(value);
  });
}

/** Other years PostgreSQL writes in other ways than JavaScript. */
function isOfFourDigits(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year > 0 && year < 10_000;
}

export type Fields = readonly (string | null)[];

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
export interface PreparedStatement {
  readonly name: string;
  /** Null until its first answer. */
  description: Description | null;
}

/** Of so many texts; there are far fewer, but none is made of what a caller sends. */
const STATEMENTS_MAX = 500;

const COMMIT = { name: 'commit', text: 'commit' };
/** Gives no row. */
const SET_ORGANIZATION = {
  name: 'set_organization',
  text: "select where set_config('app.organization_id', $1, true) is null",
};

export const EXECUTE = serialize.execute();
export const SYNC = serialize.sync();
export const DESCRIBE = serialize.describe({ type: 'P' });
/** Of a connection that has prepared statements. */
export const COMMITTING = [serialize.bind({ statement: COMMIT.name }), EXECUTE];

/** Until the end of the transaction, or of the message where no transaction has begun. Of a connection that has prepared statements. */
export function settingOrganization(organizationId: string): Buffer[] {
  return [serialize.bind({ statement: SET_ORGANIZATION.name, values: [organizationId] }), EXECUTE];
}

/** What a connection has prepared, by the text, and how many names it has given. */
export class PreparedStatements {
  readonly #statements = new Map<string, PreparedStatement>();
  #names = 0;

  static of(client: pg.Client): PreparedStatements {
    const known = preparedBy.get(client);
    if (known) return known;
    const prepared = new PreparedStatements();
    preparedBy.set(client, prepared);
    return prepared;
  }

  /** To send first, where something was never prepared. */
  beginning(): Buffer[] {
    return this.#names === 0 ? [serialize.parse(COMMIT), serialize.parse(SET_ORGANIZATION)] : [];
  }

  /** `parse` must be sent before it is used; null: it was. */
  statement(text: string): { readonly statement: PreparedStatement; readonly parse: Buffer | null } {
    const known = this.#statements.get(text);
    if (known) return { statement: known, parse: null };
    const statement = { name: this.#names < STATEMENTS_MAX ? `read_${this.#names++}` : '', description: null };
    if (statement.name !== '') this.#statements.set(text, statement);
    return { statement, parse: serialize.parse({ name: statement.name, text }) };
  }

  /** Whether it was prepared is not known: it is prepared under another name the next time. */
  forget(text: string): void {
    this.#statements.delete(text);
  }
}

const preparedBy = new WeakMap<pg.Client, PreparedStatements>();

/** Names are camelCase. */
export function describeRows(
  client: pg.Client,
  fields: readonly { readonly name: string; readonly dataTypeID: number }[],
): Description {
  const columns = fields.map(({ name, dataTypeID }) => ({
    name: camelCase(name),
    parse: client.getTypeParser(dataTypeID) as (text: string) => unknown,
  }));
  return { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
}

export function rowOf({ columns, empty }: Description, fields: Fields): object {
  // Of so many shapes V8 copies twice as fast by this as by spreading.
  const row: Record<string, unknown> = Object.assign({}, empty);
  for (let index = 0; index < columns.length; index++) {
    const { name, parse } = columns[index]!;
    const text = fields[index]!;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}
