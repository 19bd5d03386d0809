/** Point reads across organizations, outside transactions of the ORM: credentials of requests, and jobs that look for work. */
import type pg from 'pg';
import { inStatementSpan } from '../observability/tracing.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import type { GuardedClient } from './connections/guarded-client.ts';
import { poolAs } from './connections/pool-as.ts';
import { answerPointReads, type PointRead, type PointReadAnswer, pointReads } from './point-reads.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  /** The first row. */
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  /** All rows of a statement with `$1…`. */
  list<Row>(text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX, pipeline: true });
  const load = pointReads((_, reads) => answer(reads));
  const list = (text: string, values: readonly unknown[]) =>
    inStatementSpan(text, target.dbName, () => load(null, text, values));
  return {
    find: async ({ text, values }, input) => ((await list(text, values(input)))[0] as never) ?? null,
    list: async <Row>(text: string, values: readonly unknown[]) => (await list(text, values)) as Row[],
    close: () => pool.end(),
  };

  async function answer(reads: readonly PointRead[]): Promise<readonly PointReadAnswer[]> {
    try {
      const client = (await pool.connect()) as pg.PoolClient & GuardedClient;
      const answers = await answerPointReads(client, null, reads);
      client.release(answers.find((one) => one instanceof Error));
      return answers;
    } catch (error) {
      return reads.map(() => error as Error);
    }
  }
}
