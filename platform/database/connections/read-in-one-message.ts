/** Reads that leave in one message, as one transaction, and are answered in one: one write and one piece to read for all of them. */
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { internalsOf } from './internals.ts';
import {
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

/** A read that waits for its rows. */
export interface WaitingRead {
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
  readonly resolve: (rows: object[]) => void;
  readonly reject: (error: Error) => void;
}

/** Throws where a value cannot be printed. */
export function waitingRead(
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  resolve: (rows: object[]) => void,
  reject: (error: Error) => void,
): WaitingRead {
  return { text, values: printValues(values), resolve, reject };
}

/**
 * Answers each of them, for an organization or for none. What follows one that fails is sent once more. Never fails; gives the failure of one of
 * them, that of the connection before any other.
 */
export async function readInOneMessage(
  client: pg.Client,
  reads: readonly WaitingRead[],
  organizationId: string | null,
): Promise<Error | null> {
  let failure: Error | null = null;
  for (let left = reads; left.length > 0;) {
    const message = new MessageOfReads(client, left, organizationId);
    const error = await message.run();
    if (error === null) break;
    const isOfOne = error instanceof pg.DatabaseError && error.severity !== 'FATAL';
    const failed = isOfOne ? left.slice(message.answered, message.answered + 1) : left.slice(message.answered);
    for (const { reject } of failed) reject(error);
    if (!isOfOne) return error;
    failure ??= error;
    left = left.slice(message.answered + 1);
  }
  return failure;
}

/** What `pg` calls while the message is under way. */
class MessageOfReads {
  /** How many of the reads have their rows. */
  answered = 0;
  readonly #client: pg.Client;
  readonly #reads: readonly WaitingRead[];
  readonly #organizationId: string | null;
  #statements: readonly { readonly statement: PreparedStatement; readonly isNew: boolean }[] = [];
  /** Whether it is set whose they are. */
  #isSet: boolean;
  #rows: object[] = [];
  #settle: (error: Error | null) => void = () => {};

  constructor(client: pg.Client, reads: readonly WaitingRead[], organizationId: string | null) {
    this.#client = client;
    this.#reads = reads;
    this.#organizationId = organizationId;
    this.#isSet = organizationId === null;
  }

  run(): Promise<Error | null> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#client.query(this);
    });
  }

  submit(): null {
    internalsOf(this.#client).stream.write(Buffer.concat(this.#messages()));
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#statements[this.answered]!.statement.description = describeRows(this.#client, fields);
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#rows.push(rowOf(this.#statements[this.answered]!.statement.description!, fields));
  }

  handleCommandComplete(): void {
    if (!this.#isSet) {
      this.#isSet = true;
      return;
    }
    this.#reads[this.answered++]!.resolve(this.#rows);
    this.#rows = [];
  }

  handleError(error: Error): void {
    const prepared = PreparedStatements.of(this.#client);
    for (let index = this.answered; index < this.#statements.length; index++)
      if (this.#statements[index]!.isNew) prepared.forget(this.#reads[index]!.text);
    this.#settle(error);
  }

  handleReadyForQuery(): void {
    this.#settle(null);
  }

  #messages(): Buffer[] {
    const prepared = PreparedStatements.of(this.#client);
    const messages = prepared.beginning();
    if (this.#organizationId !== null) messages.push(...settingOrganization(this.#organizationId));
    this.#statements = this.#reads.map(({ text, values }) => {
      const { statement, parse } = prepared.statement(text);
      if (parse) messages.push(parse);
      messages.push(serialize.bind({ statement: statement.name, values: values as (string | null)[] }));
      if (statement.description === null) messages.push(DESCRIBE);
      messages.push(EXECUTE);
      return { statement, isNew: parse !== null };
    });
    messages.push(SYNC);
    return messages;
  }
}
