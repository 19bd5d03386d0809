/** `EndUser.name`: the customer's name at the payment processor. Names of one request are read together. */
import DataLoader from 'dataloader';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { namesOfEndUsers } from './customer.table.ts';

const NAMES_MAX = 5_000;

const loaders = new WeakMap<SubgraphContext, DataLoader<string, string>>();

/** The external id if no customer with a name is mapped to the end user. */
export function getEndUserName(context: SubgraphContext, externalId: string): Promise<string> {
  const loader = loaders.get(context) ?? loaderOf(context);
  loaders.set(context, loader);
  return loader.load(externalId);
}

function loaderOf(context: SubgraphContext): DataLoader<string, string> {
  const organizationId = organizationOf(context);
  return new DataLoader(
    async (externalIds) => {
      const rows = await context.database.find(organizationId, (tx) =>
        namesOfEndUsers(tx, organizationId, externalIds),
      );
      const names = new Map(rows.map(({ externalId, name }) => [externalId, name]));
      return externalIds.map((externalId) => names.get(externalId) ?? externalId);
    },
    { maxBatchSize: NAMES_MAX },
  );
}
