/** Single look-ups outside any transaction: one round trip, prepared once a connection. For what every request must ask. */
import type { ConnectionTarget } from './connections/connection-target.ts';
import { inStatementSpan } from '../observability/tracing.ts';
import { poolAs } from './connections/pool-as.ts';
import { readRows } from './connections/prepared-read.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX });
  return {
    find: <Input, Row>({ text, values }: Statement<Input, Row>, input: Input) =>
      inStatementSpan(text, target.dbName, async () => {
        const client = await pool.connect();
        let failure: Error | undefined;
        try {
          const [row] = await readRows(client, { text, values: values(input), alone: null });
          return (row ?? null) as Row | null;
        } catch (error) {
          failure = error as Error;
          throw error;
        } finally {
          client.release(failure);
        }
      }),
    close: () => pool.end(),
  };
}
