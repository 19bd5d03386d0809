/**
 * An organization of millions of events. It begins as every organization does, with a registered dimension and one event
 * through the API; then rows are written straight into the tables of costing and attribution, in layers, and the product's
 * own audit has to find no difference.
 */
import type { Client } from 'pg';
import { DAY_MS } from '../../kernel/time/duration.ts';
import { now } from '../../platform/clock.ts';
import { graphql } from '../../schema/graphql.ts';
import { askOperator, settle } from '../support/ask-operator.ts';
import { connectDatabase } from '../support/database-connection.ts';
import { createOrganization } from '../support/organization.ts';
import { sendEvents } from '../support/send-load.ts';
import { type Service, startService } from '../support/start-service.ts';
import { usageEvent } from '../support/usage-events.ts';
import { loadEndUsers, loadFacts, rollUp, tidyAttribution } from './load-attribution.ts';
import { loadCosting, tidyCosting } from './load-costing.ts';
import type { SyntheticSpan } from './synthetic-events.ts';

export interface FilledOrganization {
  readonly service: Service;
  readonly organizationId: string;
  readonly readKey: string;
  /** Events lie in the days before it. */
  readonly end: Date;
  /** The benchmark's own connections, for raw SQL. */
  readonly costing: Client;
  readonly attribution: Client;
  /** Loads until there are so many events. */
  growTo(events: number): Promise<void>;
  /** Throws when the books do not agree. */
  audit(): Promise<void>;
  stop(): Promise<void>;
}

export const DIMENSION = 'team';
const EVENTS_PER_STEP = 100_000;

export interface Filling {
  /** How far back events reach. */
  readonly days: number;
  readonly endUsers: number;
  readonly progress: (message: string) => void;
}

export async function openFilledOrganization({ days, endUsers, progress }: Filling): Promise<FilledOrganization> {
  const service = await startService();
  const { id: organizationId, readKey, ingestKeys } = await createOrganization(service, 'Filled');
  await askOperator(service, graphql('mutation BenchDimension($key: String!) { registerDimension(key: $key) { __typename } }'), { key: DIMENSION }, organizationId);
  const end = now();
  await sendEvents(service.url, ingestKeys[0] ?? '', [usageEvent(0, 'first', end)]);
  await settle(service);
  const { client: costing } = await connectDatabase(service.dataDirectory, 'costing');
  const { client: attribution } = await connectDatabase(service.dataDirectory, 'attribution');
  // Not what is measured: nobody waits for the disk between two steps of loading.
  for (const client of [costing, attribution]) await client.query('set synchronous_commit = off');
  await loadEndUsers(
    attribution,
    organizationId,
    endUsers,
    new Date(end.getTime() - days * DAY_MS).toISOString(),
  );
  let loaded = 0;

  const forSteps = async (upTo: number, load: (span: SyntheticSpan) => Promise<void>): Promise<void> => {
    for (let after = loaded; after < upTo; after += EVENTS_PER_STEP) {
      await load([
        organizationId,
        after,
        Math.min(after + EVENTS_PER_STEP, upTo),
        loaded,
        upTo,
        end.toISOString(),
        days,
        endUsers,
      ]);
    }
  };
  return {
    service,
    organizationId,
    readKey,
    end,
    costing,
    attribution,
    async growTo(events) {
      progress(`Loading ${(events - loaded).toLocaleString('en')} events`);
      await Promise.all([
        forSteps(events, (span) => loadCosting(costing, span)).then(() => tidyCosting(costing)),
        forSteps(events, (span) => loadFacts(attribution, span))
          .then(() => rollUp(attribution, organizationId))
          .then(() => tidyAttribution(attribution)),
      ]);
      loaded = events;
    },
    async audit() {
      progress('Auditing the books');
      const checks = await askOperator(
        service,
        graphql('query VerifyLoadedBooks { costing: verifyCosting { check differences } attribution: verifyAttribution { check differences } }'),
        {},
        organizationId,
      );
      const different = Object.values(checks)
        .flat()
        .filter(({ differences }) => differences.length > 0);
      if (different.length > 0)
        throw new Error(`The loaded books do not agree: ${JSON.stringify(different).slice(0, 1_000)}`);
    },
    stop: () => service.stop(),
  };
}
