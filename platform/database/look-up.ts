/**
 * Single look-ups outside any transaction, prepared once a connection: for what every request must ask. Those of one turn of the event
 * loop leave together, on one connection: one write and one answer for as many requests as have come in it.
 */
import type pg from 'pg';
import { inStatementSpan } from '../observability/tracing.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { leaveTogether } from './connections/leave-together.ts';
import { poolAs } from './connections/pool-as.ts';
import { type PreparedRead, readRows } from './connections/prepared-read.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  close(): Promise<void>;
}

interface LookUp {
  readonly read: PreparedRead;
  readonly resolve: (row: object | null) => void;
  readonly reject: (error: Error) => void;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX, pipeline: true });
  let waiting: LookUp[] = [];
  const taken = (): LookUp[] => {
    const all = waiting;
    waiting = [];
    return all;
  };
  const send = async (): Promise<void> => {
    try {
      const client = await pool.connect();
      client.release(await answerAll(client, taken()));
    } catch (error) {
      for (const { reject } of taken()) reject(error as Error);
    }
  };
  const ask = (read: PreparedRead): Promise<object | null> =>
    new Promise((resolve, reject) => {
      // What has come by the end of the turn, and while there is no connection, goes with the first.
      if (waiting.push({ read, resolve, reject }) === 1) setImmediate(() => void send());
    });
  return {
    find: <Input, Row>({ text, values }: Statement<Input, Row>, input: Input) =>
      inStatementSpan(
        text,
        target.dbName,
        () => ask({ text, values: values(input), alone: null }) as Promise<Row | null>,
      ),
    close: () => pool.end(),
  };
}

/** With the failure of one of them: its connection is not used again. */
async function answerAll(client: pg.PoolClient, lookUps: readonly LookUp[]): Promise<Error | undefined> {
  let failure: Error | undefined;
  leaveTogether(client);
  const answered = lookUps.map(({ read, resolve, reject }) =>
    readRows(client, read).then(
      ([row]) => resolve(row ?? null),
      (error: Error) => {
        failure = error;
        reject(error);
      },
    ),
  );
  await Promise.all(answered);
  return failure;
}
