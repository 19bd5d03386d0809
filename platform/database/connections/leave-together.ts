import type pg from 'pg';
import { internalsOf } from './internals.ts';

/** What is sent to the end of this tick is one write. */
export function leaveTogether(client: pg.PoolClient): void {
  const { stream } = internalsOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}
