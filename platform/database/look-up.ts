/**
 * Single look-ups outside any transaction, prepared once a connection: for what every request must ask. Those of one turn of the event
 * loop leave together, on one connection: one write and one answer for as many requests as have come in it.
 */
import { inStatementSpan } from '../observability/tracing.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { poolAs } from './connections/pool-as.ts';
import { type BatchedRead, batchedRead, readBatch } from './connections/read-batch.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX, pipeline: true });
  let waiting: BatchedRead[] = [];
  const taken = (): BatchedRead[] => {
    const all = waiting;
    waiting = [];
    return all;
  };
  const send = async (): Promise<void> => {
    try {
      const client = await pool.connect();
      client.release((await readBatch(client, taken(), null)) ?? undefined);
    } catch (error) {
      for (const { reject } of taken()) reject(error as Error);
    }
  };
  const ask = (text: string, values: readonly unknown[]): Promise<object | null> =>
    new Promise((resolve, reject) => {
      const read = batchedRead({ text, values }, ([row]) => resolve(row ?? null), reject);
      // What has come by the end of the turn, and while there is no connection, goes with the first.
      if (waiting.push(read) === 1) setImmediate(() => void send());
    });
  return {
    find: <Input, Row>({ text, values }: Statement<Input, Row>, input: Input) =>
      inStatementSpan(text, target.dbName, () => ask(text, values(input)) as Promise<Row | null>),
    close: () => pool.end(),
  };
}
