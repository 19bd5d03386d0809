/** Costs of one end user by provider and model. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { readModelCostsOfEndUser } from './model-costs.query.ts';
import type { EndUserModelCosts } from '../resolvers.generated.ts';
import { modelCosts } from './model-costs.ts';
import type { Window } from '#kernel/time/window.ts';

export async function breakDownEndUserByModel(
  context: SubgraphContext,
  externalId: string,
  window: Window,
): Promise<EndUserModelCosts> {
  const organizationId = organizationOf(context);
  const id = endUserId(organizationId, externalId);
  const rows = await context.database.find(organizationId, (tx) =>
    readModelCostsOfEndUser(tx, organizationId, id, window),
  );
  return { endUserId: id, ...modelCosts(rows) };
}
