/**
 * Single look-ups across organizations, prepared once a connection, in no transaction of the ORM: for what every request must ask, and for jobs
 * that look whether there is something to do. Those of one turn of the event loop leave together, on one connection: one write and one answer
 * for as many requests as have come in it.
 */
import { inStatementSpan } from '../observability/tracing.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { poolAs } from './connections/pool-as.ts';
import { onceGathered } from './connections/gather.ts';
import { type WaitingRead, waitingRead, readInOneMessage } from './connections/read-in-one-message.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  /** The first row. */
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  /** All rows, of a statement with `$1…`. */
  list<Row>(text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX, pipeline: true });
  let waiting: WaitingRead[] = [];
  const taken = (): WaitingRead[] => {
    const all = waiting;
    waiting = [];
    return all;
  };
  const send = async (): Promise<void> => {
    try {
      const client = await pool.connect();
      client.release((await readInOneMessage(client, taken(), null)) ?? undefined);
    } catch (error) {
      for (const { reject } of taken()) reject(error as Error);
    }
  };
  const ask = (read: WaitingRead): void => {
    // What comes together, and while there is no connection, goes with the first.
    if (waiting.push(read) === 1) onceGathered(waiting, () => void send());
  };
  const rowsOf = <Answer>(text: string, values: readonly unknown[], answer: (rows: object[]) => unknown) =>
    inStatementSpan(
      text,
      target.dbName,
      () =>
        new Promise<Answer>((resolve, reject) => {
          ask(waitingRead({ text, values }, (rows) => resolve(answer(rows) as Answer), reject));
        }),
    );
  return {
    find: ({ text, values }, input) => rowsOf(text, values(input), firstOf),
    list: (text, values) => rowsOf(text, values, allOf),
    close: () => pool.end(),
  };
}

const firstOf = (rows: readonly object[]) => rows[0] ?? null;
const allOf = (rows: readonly object[]) => rows;
