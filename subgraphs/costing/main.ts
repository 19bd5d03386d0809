/** Costing: what a call cost. Takes usage events in, prices them, and keeps the ledger. */
import { KnownError } from '../../schema/errors.ts';
import { servicePrincipal } from '../../platform/principal.ts';
import { randomUuid } from '../../platform/random.ts';
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './data/audit-record.ts';
import { BUILT_IN_SOURCE } from './data/built-in-catalogue.ts';
import { CatalogReleaseTable, isImported } from './data/catalog-release.ts';
import { CostEntryTable } from './data/cost-entry.ts';
import { CostHourTable } from './data/cost-hour.ts';
import { CreditAccountTable } from './data/credit-account.ts';
import { EventPackTable } from './data/event-pack.ts';
import { FeedFollowerTable } from './data/feed-follower.ts';
import { FeedHorizonTable } from './data/feed-horizon.ts';
import { PricedBatchTable } from './data/priced-batch.ts';
import { PricingJobTable } from './data/pricing-job.ts';
import { RateAliasTable } from './data/rate-alias.ts';
import { RateCardVersionTable } from './data/rate-card-version.ts';
import { RateCardTable } from './data/rate-card.ts';
import { RateGenerationTable } from './data/rate-generation.ts';
import { RateTierTable } from './data/rate-tier.ts';
import { RepricingTable } from './data/repricing.ts';
import { UnpricedEventTable } from './data/unpriced-event.ts';
import { UsageEventTable } from './data/usage-event.ts';
import { priceEventsJob } from './jobs/price-events.ts';
import { pruneFeedJob } from './jobs/prune-feed.ts';
import { requeueWaitingEventsJob } from './jobs/requeue-waiting-events.ts';
import { importCatalogue } from './operations/import-catalogue.ts';
import { resolvers } from './resolvers.ts';

export const costing: SubgraphDefinition = {
  name: 'costing',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    UsageEventTable, PricingJobTable, CreditAccountTable, EventPackTable,
    CostEntryTable, UnpricedEventTable, CostHourTable, PricedBatchTable, RepricingTable, FeedFollowerTable, FeedHorizonTable,
    RateCardTable, RateAliasTable, RateCardVersionTable, RateTierTable, RateGenerationTable, CatalogReleaseTable, AuditRecordTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: (surroundings) => [priceEventsJob(surroundings), requeueWaitingEventsJob(surroundings), pruneFeedJob(surroundings)],
  async prepare({ database }, progress) {
    if (await database.acrossOrganizations((em) => isImported(em, BUILT_IN_SOURCE))) return;
    progress('Importing the price catalogue');
    const principal = servicePrincipal('costing', randomUuid());
    const { added, changed, held } = await importCatalogue({ database, principal }).catch((error: unknown) => {
      // A release that shrank is for a person to look at; the rates that are stored go on.
      if (!(error instanceof KnownError)) throw error;
      progress(`The price catalogue was not imported: ${error.message}`);
      return { added: [], changed: [], held: [] };
    });
    const numbers = `${added.length} rate cards added, ${changed.length} changed, ${held.length} held for review`;
    progress(`Imported the price catalogue: ${numbers}`);
  },
};
