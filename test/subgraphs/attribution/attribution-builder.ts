/** Attribution with its own database and a feed that the test fills. */
import { randomUUID } from 'node:crypto';
import { createLog } from '#platform/log.ts';
import type { Principal } from '#platform/principal.ts';
import { anonymous } from '#platform/principal.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { rollUpNext } from '../../../subgraphs/attribution/feed/roll-up-next.step.ts';
import { attribution } from '../../../subgraphs/attribution/main.ts';
import { freshTarget, openDatabaseOf } from '../../support/fresh-database.ts';
import { sealingUnder } from '../../support/sealing.ts';
import { type StandInFeed, standInFeed } from './stand-in-feed.ts';

export interface Attribution {
  readonly target: ConnectionTarget;
  readonly database: Database;
  readonly feed: StandInFeed;
  /** Runs one step of a job. */
  step(job: string): Promise<'more' | 'soon' | 'idle'>;
  /** Follows the feed until everything is applied, even if another job briefly holds an organization. */
  follow(): Promise<void>;
  /** Runs all jobs until no work is left, and rolls up pending facts. */
  settle(): Promise<void>;
  /** Executes GraphQL as a caller of the organization with all grants. */
  ask<Data>(organizationId: string | null, document: string, variables?: Record<string, unknown>): Promise<Data>;
  context(organizationId: string | null): SubgraphContext;
  close(): Promise<void>;
}

/** `beside`: another process with the same database and feed. */
export async function startAttribution(beside?: Attribution): Promise<Attribution> {
  const target = beside?.target ?? (await freshTarget(attribution.name));
  const database = await openDatabaseOf(attribution, target);
  const feed = beside?.feed ?? standInFeed();
  const log = createLog('silent');
  const subgraph = makeSubgraph(attribution, {
    config: {} as never,
    database,
    log,
    sealing: sealingUnder('x'.repeat(32)),
    gateway: feed.gateway,
    writeFirstRun: () => {},
  });
  const transport = inProcessSubgraph(subgraph);
  const principal = (organizationId: string | null): Principal => ({
    ...anonymous(randomUUID()),
    kind: 'operator',
    organizationId,
    grants: ['operator', 'costs:read', 'dimensions:read', 'backlog:read', 'usage:write'],
  });
  /** All jobs except those that query costing's ledger, identity for deleted organizations, or sessions of SQL tools. */
  const leftOut = ['verify-changes', 'delete-organizations', 'end-long-reports'];
  const jobs = subgraph.jobs.filter(({ name }) => !leftOut.includes(name));
  const step = (name: string) => {
    const job = subgraph.jobs.find((candidate) => candidate.name === name);
    if (!job) throw new Error(`No job ${name}`);
    return job.step();
  };
  return {
    target,
    database,
    feed,
    step,
    async follow() {
      do await step('follow-priced-feed');
      while (!feed.isTaken());
    },
    async settle() {
      let busy = true;
      while (busy) {
        busy = false;
        for (const job of jobs) if ((await job.step()) === 'more') busy = true;
        if (await rollUpNext(database, { factsMax: 1, quietSeconds: 0 })) busy = true;
      }
    },
    async ask<Data>(organizationId: string | null, document: string, variables = {}) {
      const { data, errors } = await transport.execute(document, variables, principal(organizationId));
      if (errors?.length) throw Object.assign(new Error(errors[0]?.message), { code: errors[0]?.extensions?.['code'] });
      return JSON.parse(JSON.stringify(data)) as Data;
    },
    context: (organizationId) => ({ principal: principal(organizationId), database, log }),
    close: () => database.close(),
  };
}
