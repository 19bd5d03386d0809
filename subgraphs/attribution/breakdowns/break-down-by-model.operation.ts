/** Costs of a window by provider and model. All models are returned, so the items add up to the total. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readModelCosts } from './model-costs.query.ts';
import type { ModelCosts } from '../resolvers.generated.ts';
import { modelCosts } from './model-costs.ts';
import type { Window } from '#kernel/time/window.ts';

export async function breakDownByModel(context: SubgraphContext, window: Window): Promise<ModelCosts> {
  const organizationId = organizationOf(context);
  return modelCosts(
    await context.database.snapshot(organizationId, (tx) => readModelCosts(tx, organizationId, window)),
  );
}
