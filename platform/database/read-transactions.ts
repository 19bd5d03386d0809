/**
 * Transactions that read, for one organization, in one round trip: beginning, organization and first statement leave together,
 * and no one waits for the end. The ORM's take four.
 */
import pg from 'pg';
import { unavailability } from '../unavailability.ts';
import { inStatementSpan } from '../observability/tracing.ts';
import { queryByteRows, type TakeRow } from './connections/byte-rows.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { serverOf } from './connections/database-server.ts';
import { fairShare } from './fair-share.ts';
import { internalsOf } from './connections/internals.ts';
import { poolAs } from './connections/pool-as.ts';
import { setLocal } from './roles.ts';
import { IDLE_IN_TRANSACTION_MILLISECONDS, readError, readShare } from './tenant-limits.ts';

/** One snapshot, however many statements. */
export interface ReadTransaction {
  /** Rows as PostgreSQL names them: `query` gives them to others. */
  read(text: string, parameters: readonly unknown[]): Promise<object[]>;
  /** The rows one by one as they come, as bytes: for what is printed as it stands, a thousand at a time. */
  readEach(text: string, parameters: readonly unknown[], take: TakeRow): Promise<void>;
}

export interface ReadTransactions {
  run<T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** The same for work that is one statement, with which the end leaves as well. */
  runOnce<T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A window decides how it is best read: a plan for windows of any length made a year's margin take nearly twice as long. */
const SETTINGS = { plan_cache_mode: 'force_custom_plan' };

/** Statements are prepared once a connection. So many texts; there are far fewer, but none is made of what a caller sends. */
const STATEMENTS_MAX = 500;

/** `role` is bound by row-level security: without an organization it sees no row. */
export function readTransactionsAs(
  role: string,
  target: ConnectionTarget,
  { statementSeconds, connections }: { statementSeconds: number; connections: number },
): ReadTransactions {
  const settings = {
    ...SETTINGS,
    statement_timeout: `${statementSeconds}s`,
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MILLISECONDS),
  };
  const pool = poolAs(role, target, { name: 'read', max: connections, pipeline: true, settings });
  const share = fairShare(readShare(connections), () => serverOf(target).findOutage());
  const names = new Map<string, string>();
  return {
    run: (organizationId, work) => inTransaction(organizationId, work, false),
    runOnce: (organizationId, work) => inTransaction(organizationId, work, true),
    close: () => pool.end(),
  };

  function inTransaction<T>(
    organizationId: string,
    work: (tx: ReadTransaction) => Promise<T>,
    isOneStatement: boolean,
  ): Promise<T> {
    return share.run(organizationId, async () => {
      const client = await pool.connect();
      leaveTogether(client);
      const opened = client.query(opening(organizationId));
      let ended: Promise<Error | null> | null = null;
      let isSound = true;
      const send = <Answer>(statement: () => Promise<Answer>): Promise<Answer> => {
        if (ended) throw new Error('What reads once has sent another statement');
        const answer = statement();
        if (isOneStatement) ended = end(client);
        return answer;
      };
      const tx: ReadTransaction = {
        read: (text, parameters) =>
          send(async () => (await client.query<pg.QueryResultRow>(prepared(text, parameters))).rows),
        readEach: (text, parameters, take) =>
          send(() =>
            inStatementSpan(text, target.dbName, () => queryByteRows(client, prepared(text, parameters), take)),
          ),
      };
      try {
        const [answer] = await Promise.all([work(tx), opened]);
        return answer;
      } catch (error) {
        // A statement whose plan outlived a migration would fail again on this connection; one that a full disk stops, anywhere.
        isSound = !(error instanceof pg.DatabaseError) || unavailability(error) !== null;
        throw readError(error, statementSeconds);
      } finally {
        void (ended ?? end(client)).then((error) => client.release(error ?? !isSound));
      }
    });
  }

  function prepared(text: string, parameters: readonly unknown[]): pg.QueryConfig {
    return { ...nameOf(text), text, values: [...parameters] };
  }

  function nameOf(text: string): { name?: string } {
    const known = names.get(text);
    if (known !== undefined) return { name: known };
    if (names.size >= STATEMENTS_MAX) return {};
    const name = `read_${names.size}`;
    names.set(text, name);
    return { name };
  }
}

/** What is sent to the end of this tick is one write. */
function leaveTogether(client: pg.PoolClient): void {
  const { stream } = internalsOf(client);
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** What went wrong with it, if anything: no one waits for the end. */
function end(client: pg.PoolClient): Promise<Error | null> {
  return client.query('commit').then(
    () => null,
    (error: Error) => error,
  );
}

/** Where the beginning fails, the rest of the text is not run, and the statements after it see nothing. */
function opening(organizationId: string): string {
  return `begin isolation level repeatable read read only; ${setLocal({ 'app.organization_id': organizationId })}`;
}
