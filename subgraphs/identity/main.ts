/** Identity: who is asking, and may they. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AccountUserTable } from './data/account-user.ts';
import { ApiKeyTable } from './data/api-key.ts';
import { OperatorTable } from './data/operator.ts';
import { OrganizationTable } from './data/organization.ts';
import { createFirstRun } from './operations/create-first-run.ts';
import { resolvers } from './resolvers.ts';
import { API_KEY_SEAL, sealingKey } from './rules/seal.ts';

export const identity: SubgraphDefinition = {
  name: 'identity',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [OrganizationTable, AccountUserTable, ApiKeyTable, OperatorTable],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: () => [],
  prepare: ({ database, serviceSecret, writeFirstRun }) => createFirstRun(database, sealingKey(serviceSecret, API_KEY_SEAL), writeFirstRun),
};
