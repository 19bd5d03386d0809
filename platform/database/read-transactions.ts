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
import { type OwnTransaction, readByteRows, readRows } from './connections/prepared-read.ts';
import { onceGathered } from './connections/gather.ts';
import { type WaitingRead, waitingRead, readInOneMessage } from './connections/read-in-one-message.ts';
import { setLocal } from './roles.ts';
import { IDLE_IN_TRANSACTION_MILLISECONDS, readError, readShare } from './tenant-limits.ts';

/** One snapshot, however many statements. */
export interface ReadTransaction {
  /** Rows as PostgreSQL names them: `query` gives them to others. */
  read(text: string, parameters: readonly unknown[]): Promise<object[]>;
  /** The rows one by one as they come, as bytes: for what is printed as it stands, a thousand at a time. */
  readEach(text: string, parameters: readonly unknown[], take: TakeRow): Promise<void>;
}

export interface ReadOptions {
  readonly statementSeconds: number;
  readonly connections: number;
  /** Whether organizations lie on several nodes. */
  readonly isOnNodes: () => boolean;
}

export interface ReadTransactions {
  run<T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** The same for work that is one statement, with which the end leaves as well. */
  runOnce<T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** The same for few rows: what comes in one turn of the event loop shares a connection. */
  runTogether<T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const SETTINGS = {
  /** A window decides how it is best read: a plan for windows of any length made a year's margin take nearly twice as long. */
  plan_cache_mode: 'force_custom_plan',
  default_transaction_isolation: 'repeatable\\ read',
  default_transaction_read_only: 'on',
};

/** Reads that share a connection, one after the other. */
const TOGETHER_MAX = 16;

/** `role` is bound by row-level security: without an organization it sees no row. */
export function readTransactionsAs(
  role: string,
  target: ConnectionTarget,
  { statementSeconds, connections, isOnNodes }: ReadOptions,
): ReadTransactions {
  const settings = {
    ...SETTINGS,
    statement_timeout: `${statementSeconds}s`,
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MILLISECONDS),
  };
  const pool = poolAs(role, target, { name: 'read', max: connections, pipeline: true, settings });
  const share = fairShare(readShare(connections), () => serverOf(target).findOutage());
  const runOnce = <T>(organizationId: string, work: (tx: ReadTransaction) => Promise<T>): Promise<T> => {
    // What a function sets does not reach the nodes: there each setting is a command, in a transaction that is begun.
    const own = isOnNodes() ? { commands: opening(organizationId) } : { organizationId };
    return withClient(organizationId, {
      work: (client) => work(new OneStatement(transaction(client, own))),
      ending: (hasFailed) => (hasFailed && 'commands' in own ? 'rollback' : null),
    });
  };
  const gathering = new Map<string, WaitingRead[]>();
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
    runOnce,
    runTogether: (organizationId, work) => {
      if (isOnNodes()) return runOnce(organizationId, work);
      const read = (text: string, values: readonly unknown[]) =>
        inStatementSpan(text, target.dbName, () => gather(organizationId, text, values));
      const readEach = () => Promise.reject(new Error('What is read together has few rows'));
      return work(new OneStatement({ read, readEach }));
    },
    close: () => pool.end(),
  };

  function gather(organizationId: string, text: string, values: readonly unknown[]): Promise<object[]> {
    return new Promise((resolve, reject) => {
      const read = waitingRead({ text, values }, resolve, (error) => reject(readError(error, statementSeconds)));
      const others = gathering.get(organizationId);
      if (others && others.length < TOGETHER_MAX) {
        others.push(read);
        return;
      }
      const reads = [read];
      gathering.set(organizationId, reads);
      // What has come by the end of the turn, and while there is no connection, goes with the first.
      onceGathered(reads, () => void answerAll(organizationId, reads));
    });
  }

  async function answerAll(organizationId: string, reads: readonly WaitingRead[]): Promise<void> {
    const close = () => {
      if (gathering.get(organizationId) === reads) gathering.delete(organizationId);
    };
    const work = async (client: pg.PoolClient): Promise<void> => {
      close();
      const failure = await readInOneMessage(client, reads, organizationId);
      if (failure) throw failure;
    };
    try {
      await withClient(organizationId, { work, ending: () => null });
    } catch (error) {
      close();
      // Of those that have been answered nothing changes.
      for (const { reject } of reads) reject(error as Error);
    }
  }

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
        isSound = !isOfConnection(error);
        throw readError(error, statementSeconds);
      } finally {
        const command = ending(hasFailed);
        if (command === null) client.release(!isSound);
        else
          client.query(command).then(
            () => client.release(!isSound),
            (error: Error) => client.release(error),
          );
      }
    });
  }

  /** `own`: the transaction of a single statement. */
  function transaction(client: pg.PoolClient, own: OwnTransaction | null): ReadTransaction {
    return {
      read: (text, values) =>
        inStatementSpan(text, target.dbName, () => readRows(client, { text, values, transaction: own })),
      readEach: (text, values, take) =>
        inStatementSpan(text, target.dbName, () => readByteRows(client, { text, values, transaction: own }, take)),
    };
  }
}

/** A second one would see another moment. */
class OneStatement implements ReadTransaction {
  readonly #of: ReadTransaction;
  #isSent = false;

  constructor(of: ReadTransaction) {
    this.#of = of;
  }

  read(text: string, parameters: readonly unknown[]): Promise<object[]> {
    this.#send();
    return this.#of.read(text, parameters);
  }

  readEach(text: string, parameters: readonly unknown[], take: TakeRow): Promise<void> {
    this.#send();
    return this.#of.readEach(text, parameters, take);
  }

  #send(): void {
    if (this.#isSent) throw new Error('What reads once has sent another statement');
    this.#isSent = true;
  }
}

/**
 * A statement whose plan outlived a migration would fail again on this connection; one that a full disk stops, anywhere. With what is fatal
 * the connection is over, and may not know it yet.
 */
function isOfConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.severity === 'FATAL' || unavailability(error) === null);
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
