/** Costing: what a call cost. Takes usage events in, prices them, and keeps the ledger. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { CostEntryTable } from './data/cost-entry.ts';
import { CostHourTable } from './data/cost-hour.ts';
import { CreditAccountTable } from './data/credit-account.ts';
import { EventPackTable } from './data/event-pack.ts';
import { PricedBatchTable } from './data/priced-batch.ts';
import { PricingJobTable } from './data/pricing-job.ts';
import { UnpricedEventTable } from './data/unpriced-event.ts';
import { UsageEventTable } from './data/usage-event.ts';
import { resolvers } from './resolvers.ts';

export const costing: SubgraphDefinition = {
  name: 'costing',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    UsageEventTable, PricingJobTable, CreditAccountTable, EventPackTable,
    CostEntryTable, UnpricedEventTable, CostHourTable, PricedBatchTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: () => [],
};
