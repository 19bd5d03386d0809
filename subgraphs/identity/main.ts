/** Identity: who is asking, and may they. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { ApiKeyTable } from './data/api-key.ts';
import { OrganizationTable } from './data/organization.ts';
import { resolvers } from './resolvers.ts';

export const identity: SubgraphDefinition = {
  name: 'identity',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [OrganizationTable, ApiKeyTable],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: () => [],
};
