/**
 * Transactions that read, for one organization, in one round trip: beginning, organization and first statement leave together,
 * and no one waits for the end. The ORM's take four.
 */
import pg from 'pg';
import { unavailability } from '../unavailability.ts';
import { inStatementSpan } from '../observability/tracing.ts';
import type { TakeRow } from './connections/byte-rows.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { serverOf } from './connections/database-server.ts';
import { fairShare } from './fair-share.ts';
import { leaveTogether } from './connections/leave-together.ts';
import { poolAs } from './connections/pool-as.ts';
import { readByteRows, readRows } from './connections/prepared-read.ts';
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
  return {
    run: (organizationId, work) =>
      withClient(organizationId, {
        async work(client) {
          leaveTogether(client);
          const opened = client.query(opening(organizationId).join('; '));
          const [answer] = await Promise.all([work(transaction(client, null)), opened]);
          return answer;
        },
        ending: () => 'commit',
      }),
    runOnce: (organizationId, work) =>
      withClient(organizationId, {
        work: (client) => work(transaction(client, opening(organizationId))),
        ending: (hasFailed) => (hasFailed ? 'rollback' : null),
      }),
    close: () => pool.end(),
  };

  /** No one waits for the end but the next who is given the connection. */
  function withClient<T>(organizationId: string, { work, ending }: Work<T>): Promise<T> {
    return share.run(organizationId, async () => {
      const client = await pool.connect();
      let hasFailed = false;
      let isSound = true;
      try {
        return await work(client);
      } catch (error) {
        hasFailed = true;
        // A statement whose plan outlived a migration would fail again on this connection; one that a full disk stops, anywhere.
        isSound = !(error instanceof pg.DatabaseError) || unavailability(error) !== null;
        throw readError(error, statementSeconds);
      } finally {
        const command = ending(hasFailed);
        if (command === null) client.release();
        else
          client.query(command).then(
            () => client.release(!isSound),
            (error: Error) => client.release(error),
          );
      }
    });
  }

  /** `alone`: what the transaction of a single statement begins with. */
  function transaction(client: pg.PoolClient, alone: readonly string[] | null): ReadTransaction {
    let isSent = false;
    const send = <Answer>(text: string, statement: () => Promise<Answer>): Promise<Answer> => {
      if (isSent && alone) throw new Error('What reads once has sent another statement');
      isSent = true;
      return inStatementSpan(text, target.dbName, statement);
    };
    return {
      read: (text, values) => send(text, () => readRows(client, { text, values, alone })),
      readEach: (text, values, take) => send(text, () => readByteRows(client, { text, values, alone }, take)),
    };
  }
}

interface Work<T> {
  readonly work: (client: pg.PoolClient) => Promise<T>;
  /** What ends the transaction, where it is still open. */
  readonly ending: (hasFailed: boolean) => string | null;
}

/** Where the beginning fails, nothing after it is run. */
function opening(organizationId: string): string[] {
  return ['begin isolation level repeatable read read only', setLocal({ 'app.organization_id': organizationId })];
}
