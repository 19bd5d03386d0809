/** Costs and tokens of one end user in a window. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { readEndUserSums } from './end-user-costs.query.ts';
import { findEndUser } from '../end-users/end-user.table.ts';
import type { EndUserCostSummary } from '../resolvers.generated.ts';
import { figures } from './figures.ts';
import type { Window } from '#kernel/time/window.ts';

/** Sums are 0 for an unknown end user, and `firstSeenAt` is then null. */
export async function summarizeEndUserCosts(
  context: SubgraphContext,
  externalId: string,
  window: Window,
): Promise<EndUserCostSummary> {
  const organizationId = organizationOf(context);
  const id = endUserId(organizationId, externalId);
  const [sums, endUser] = await context.database.snapshot(organizationId, (tx) =>
    Promise.all([readEndUserSums(tx, organizationId, id, window), findEndUser(tx, organizationId, id)]),
  );
  const firstSeenAt = endUser?.firstSeenAt ?? null;
  if (!sums) return { totalCost: 0n, eventCount: 0, inputTokens: 0, outputTokens: 0, firstSeenAt };
  const { totalCost, eventCount, inputTokens, outputTokens } = figures(sums, 0n);
  return { totalCost, eventCount, inputTokens, outputTokens, firstSeenAt };
}
