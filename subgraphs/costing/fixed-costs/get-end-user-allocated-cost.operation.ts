/** `EndUser.allocatedCost`: one end user's share of the organization's fixed costs. */
import { type Amount, amount } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readAllocatedToEndUser } from './allocated-costs.query.ts';
import { daysOfWindow } from './days.ts';

export async function getEndUserAllocatedCost(
  context: SubgraphContext,
  externalId: string,
  window: Window,
): Promise<Amount> {
  const organizationId = organizationOf(context);
  return amount(
    await context.database.find(organizationId, (tx) =>
      readAllocatedToEndUser(tx, organizationId, externalId, daysOfWindow(window)),
    ),
  );
}
