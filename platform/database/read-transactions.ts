/**
 * Read transactions for one organization in one round trip: `begin`, the organization and the first statement are sent
 * together, and nobody waits for the end. The ORM needs four round trips.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import pg from 'pg';
import { unavailability } from '../unavailability.ts';
import { inStatementSpan } from '../observability/tracing.ts';
import { bindValue } from './connections/bind-value.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { serverOf } from './connections/database-server.ts';
import { fairShare } from './fair-share.ts';
import type { GuardedClient } from './connections/guarded-client.ts';
import type { BatchStatement } from './connections/pipelined-batch.ts';
import { poolAs } from './connections/pool-as.ts';
import {
  answerPointReads,
  type PointRead,
  type PointReadAnswer,
  pointReads,
  settingOrganization,
} from './point-reads.ts';
import { setLocal } from './roles.ts';
import { Transaction } from './transaction.ts';
import { IDLE_IN_TRANSACTION_MILLISECONDS, readError, readShare } from './tenant-limits.ts';

export interface ReadOptions {
  readonly statementSeconds: number;
  readonly connections: number;
  /** True if the database is distributed over several nodes. */
  readonly isOnNodes: () => boolean;
}

export interface ReadTransactions {
  run<T>(organizationId: OrganizationId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Like `run`, for one statement; the end of the transaction is sent with it. Point reads of one event-loop tick share a connection, except
   * on several nodes.
   */
  find<T>(organizationId: OrganizationId, work: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const SETTINGS = {
  /** The best plan depends on the window: a generic plan made a year's margin nearly twice as slow. */
  plan_cache_mode: 'force_custom_plan',
  default_transaction_isolation: 'repeatable\\ read',
  default_transaction_read_only: 'on',
};

/** `role` is subject to row-level security: without an organization it sees no rows. */
export function readTransactionsAs(
  role: string,
  target: ConnectionTarget,
  { statementSeconds, connections, isOnNodes }: ReadOptions,
): ReadTransactions {
  const settings = {
    ...SETTINGS,
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MILLISECONDS),
  };
  const pool = poolAs(role, target, { name: 'read', max: connections, pipeline: true, statementSeconds, settings });
  const share = fairShare(readShare(connections), () => serverOf(target).findOutage());
  const readAlone = (organizationId: OrganizationId, text: string, values: readonly unknown[]): Promise<object[]> => {
    const isOpened = isOnNodes();
    const before = isOpened ? opening(organizationId, true) : [settingOrganization(organizationId)];
    const after = isOpened ? [{ text: 'commit', values: [] }] : [];
    return withClient(organizationId, {
      work: (client) => transaction(client, { before: () => before, after }).send(text, values),
      ending: (hasFailed) => (hasFailed && isOpened ? 'rollback' : null),
    });
  };
  const load = pointReads((organizationId, reads) => answer(organizationId!, reads));
  return {
    run: (organizationId, work) => {
      let before: readonly BatchStatement[] = opening(organizationId, isOnNodes());
      /** The transaction begins with its first statement. */
      const takeOpening = () => {
        const taken = before;
        before = [];
        return taken;
      };
      return withClient(organizationId, {
        work: (client) => work(transaction(client, { before: takeOpening, after: [] })),
        ending: () => (before.length > 0 ? null : 'commit'),
      });
    },
    find: (organizationId, work) => {
      const onNodes = isOnNodes();
      const read = (text: string, values: readonly unknown[], isPointRead: boolean) =>
        isPointRead && !onNodes
          ? inStatementSpan(text, target.dbName, () => load(organizationId, text, values))
          : readAlone(organizationId, text, values);
      return work(oneStatement(readTransaction(read, onNodes), onNodes));
    },
    close: () => pool.end(),
  };

  async function answer(
    organizationId: OrganizationId,
    reads: readonly PointRead[],
  ): Promise<readonly PointReadAnswer[]> {
    try {
      return await share.run(organizationId, async () => {
        const client = await connect();
        const answers = await answerPointReads(client, organizationId, reads);
        client.release(answers.some(isOfConnection));
        return answers.map((one) => (one instanceof Error ? asError(readError(one, statementSeconds)) : one));
      });
    } catch (error) {
      return reads.map(() => asError(readError(error, statementSeconds)));
    }
  }

  async function connect(): Promise<pg.PoolClient & GuardedClient> {
    return (await pool.connect()) as pg.PoolClient & GuardedClient;
  }

  /** Only the next user of the connection waits for the end. */
  function withClient<T>(organizationId: OrganizationId, { work, ending }: Work<T>): Promise<T> {
    return share.run(organizationId, async () => {
      const client = await connect();
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

  /** `before` and `after` are sent in the same message as the statement. */
  function transaction(client: GuardedClient, { before, after }: Around): Transaction {
    return readTransaction(
      (text, values) =>
        inStatementSpan(text, target.dbName, async () => {
          const own = { text, values: values.map(bindValue) };
          const first = before();
          const { results, error } = await client.batch([...first, own, ...after]);
          if (error) throw error;
          return results[first.length]!;
        }),
      isOnNodes(),
    );
  }
}

interface Around {
  readonly before: () => readonly BatchStatement[];
  readonly after: readonly BatchStatement[];
}

function readTransaction(
  read: (text: string, values: readonly unknown[], isPointRead: boolean) => Promise<object[]>,
  isOnNodes: boolean,
): Transaction {
  return new Transaction(
    (sql, values, isPointRead = false) => read(typeof sql === 'string' ? sql : sql.text, values, isPointRead),
    isOnNodes,
  );
}

/** A second statement would see another snapshot. */
function oneStatement({ send }: Transaction, isOnNodes: boolean): Transaction {
  let isSent = false;
  return new Transaction(async (text, values, isPointRead) => {
    if (isSent) throw new Error('A read for one statement sent a second one');
    isSent = true;
    return send(text, values, isPointRead);
  }, isOnNodes);
}

/**
 * True to discard the connection. A prepared statement invalidated by a migration would fail again on it; a full
 * disk would fail on any connection. After a fatal error the connection is closed, even if that has not been noticed
 * yet.
 */
function isOfConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.severity === 'FATAL' || unavailability(error) === null);
}

interface Work<T> {
  readonly work: (client: GuardedClient) => Promise<T>;
  /** Command that ends the transaction; null if it has ended. */
  readonly ending: (hasFailed: boolean) => string | null;
}

/**
 * If the opening fails, nothing after it runs. On several nodes, `set local` is used because the effect of a function
 * does not reach other nodes.
 */
function opening(organizationId: OrganizationId, isOnNodes: boolean): BatchStatement[] {
  return [
    { text: 'begin isolation level repeatable read read only', values: [] },
    isOnNodes
      ? { text: setLocal({ 'app.organization_id': organizationId }), values: [], isOnce: true }
      : settingOrganization(organizationId),
  ];
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
