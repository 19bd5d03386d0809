/** Revenue with its own database, connected to a stand-in for the processor. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { vi } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { readConfig } from '#platform/config.ts';
import { anonymous, type Principal } from '#platform/principal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { openSubgraphDatabase, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { plain, money, sum } from '#kernel/money.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { revenue } from '../../../subgraphs/revenue/main.ts';
import { compareCostAndRevenue } from '../../../subgraphs/revenue/margin/compare-cost-and-revenue.operation.ts';
import { connectRevenue } from '../../../subgraphs/revenue/connection/connect-revenue.operation.ts';
import { byMargin, type MarginComparison } from '../../../subgraphs/revenue/margin/compare-margin.ts';
import { copyOfDatabase, emptyDatabase } from '../../support/fresh-database.ts';
import { Mortal } from '../../support/mortal.ts';
import { sealingUnder } from '../../support/sealing.ts';
import { start, type StripeStandIn } from '../../../packages/stripe-stand-in/server.ts';
import { PATIENCE } from '../../support/patience.ts';

export interface RevenueService {
  readonly organizationId: string;
  readonly context: SubgraphContext;
  readonly database: Database;
  readonly standIn: StripeStandIn;
  readonly dependencies: SubgraphDependencies;
  /** Every logged line. */
  readonly logged: string[];
  /** The process, and its view of the database. */
  readonly life: Mortal;
  /** A copy of the current database; `restore` replaces the database with it. */
  backUp(): Promise<string>;
  restore(backup: string): Promise<void>;
  connect(options?: { apiKey?: string; endUserKey?: string }): Promise<void>;
  /** Runs the job until the current sync has ended, despite any faults; gives up after `stepsMax`. */
  sync(stepsMax?: number): Promise<SyncFigures>;
  /** Runs the job that converts records until its queue is empty. */
  convert(): Promise<void>;
  /** One step of the job, due or not. */
  step(): Promise<void>;
  rows<Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Resolves once one transaction waits for another. */
  untilOneWaits(): Promise<void>;
  /** The least profitable end user is first. */
  margin(
    window: { start: string; end: string },
    costs?: Readonly<Record<string, string>>,
    unassigned?: string,
  ): Promise<MarginComparison>;
  close(): Promise<void>;
}

interface SyncFigures {
  created: number;
  updated: number;
  skipped: number;
  subscriptions: number;
}

const WAIT = { ...PATIENCE, interval: 50 };

const SEALING = sealingUnder('a secret of the service that has more than thirty-two characters');
export const KEY = 'rk_live_stand_in';

export async function startRevenue(): Promise<RevenueService> {
  const first = await emptyDatabase(revenue);
  let database: Database = first;
  const life = new Mortal();
  const standIn = await start();
  const organizationId = randomUUID();
  const logged: string[] = [];
  const log = pino(
    { level: 'debug' },
    {
      write: (line: string) => {
        logged.push(line);
      },
    },
  );
  const principal: Principal = {
    ...anonymous('test'),
    kind: 'operator',
    organizationId,
    grants: ['operator', 'revenue:read', 'usage:read'],
  };
  const context = (): SubgraphContext => ({ principal, database: life.through(database), log });
  const dependencies = () =>
    ({
      database: life.through(database),
      log,
      sealing: SEALING,
      config: readConfig({}),
    }) as unknown as SubgraphDependencies;
  let [job] = revenue.jobs(dependencies());
  const disconnect = () => (database === first ? first.disconnect() : database.close());
  const reopen = async (dbName: string) => {
    database = await openSubgraphDatabase(revenue, { ...database.target, dbName });
    [job] = revenue.jobs(dependencies());
  };
  const rows = <Row>(text: string, parameters: readonly unknown[] = []) =>
    database.system((tx) => query<Row>(tx, text, parameters));
  const due = () =>
    rows("update payment_connection set due_at = now() - interval '1 second' where organization_id = $1", [
      organizationId,
    ]);
  const step = async (): Promise<void> => {
    await due();
    await job?.step();
  };
  return {
    organizationId,
    get context() {
      return context();
    },
    get database() {
      return database;
    },
    get dependencies() {
      return dependencies();
    },
    standIn,
    logged,
    life,
    async backUp() {
      const current = database.target.dbName;
      await disconnect();
      const copy = await copyOfDatabase(revenue.name, current);
      await reopen(current);
      return copy;
    },
    async restore(backup) {
      await disconnect();
      await reopen(await copyOfDatabase(revenue.name, backup));
    },
    convert: async () => {
      const converting = revenue.jobs(dependencies()).find(({ name }) => name === 'revenue-conversion')!;
      while ((await converting.step()) === 'more');
    },
    step,
    rows,
    untilOneWaits: () =>
      vi.waitFor(async () => {
        const waiting = `select pid from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
        if ((await rows(waiting)).length === 0) throw new Error('No transaction waits for another');
      }, WAIT),
    connect: async ({ apiKey = KEY, endUserKey = 'user_id' } = {}) => {
      await connectRevenue(context(), { processor: 'stripe', apiKey, apiBase: standIn.url, endUserKey }, SEALING);
    },
    sync: async (stepsMax = 60) => {
      const finished = () =>
        rows<{ count: number }>(
          "select count(*)::int as count from sync_run where organization_id = $1 and state = 'finished'",
          [organizationId],
        );
      const before = (await finished())[0]?.count ?? 0;
      for (let steps = 0; steps < stepsMax && (await finished())[0]?.count === before; steps++) await step();
      const [run] = await rows<SyncFigures>(
        'select records_created as created, records_updated as updated, records_skipped as skipped, subscriptions from sync_run where organization_id = $1 order by started_at desc limit 1',
        [organizationId],
      );
      return run ?? { created: 0, updated: 0, skipped: 0, subscriptions: 0 };
    },
    async margin(window, costs = {}, unassigned = '0') {
      const { comparison } = await compareCostAndRevenue(context(), parseWindow(window), {
        costs: costLines(organizationId, costs, unassigned),
        throughEnd: true,
      });
      return { ...comparison, endUsers: comparison.endUsers.toSorted(byMargin) };
    },
    close: async () => {
      await standIn.stop();
      await database.close();
    },
  };
}

/** As attribution would provide them: one event per cost, none for a cost of 0. */
export function costLines(
  organizationId: string,
  costs: Readonly<Record<string, string>>,
  unassigned: string,
): EndUserCostLines {
  const count = (cost: string) => (money(cost).isZero() ? 0 : 1);
  const endUsers = Object.entries(costs).map(
    ([externalId, cost]) => [endUserId(organizationId, externalId), externalId, cost, count(cost)] as const,
  );
  const all = [...Object.values(costs), unassigned];
  return {
    endUsers,
    unassigned: { cost: unassigned, count: count(unassigned) },
    total: { cost: plain(sum(all.map(money))), count: all.reduce((whole, cost) => whole + count(cost), 0) },
  };
}

/** Seconds since 1970. */
export function at(iso: string): number {
  return Date.parse(iso) / 1000;
}
