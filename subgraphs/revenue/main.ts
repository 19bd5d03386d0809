/** Revenue: whether it paid. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { CustomerTable } from './data/customer.ts';
import { resolvers } from './resolvers.ts';

export const revenue: SubgraphDefinition = {
  name: 'revenue',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [CustomerTable],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: () => [],
};
