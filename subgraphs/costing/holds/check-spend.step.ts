/** Answers whether a call may spend an amount, and reserves nothing. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SpendDecision } from '../resolvers.generated.ts';
import { check } from './decide.query.ts';
import type { SpendRequest } from './parse-spend.ts';
import { priceCall } from './price-call.step.ts';

/** Decides whether a call may spend an amount, without opening a hold; reads one snapshot. */
export async function checkSpend(
  context: SubgraphContext,
  { endUser, agent, cost }: SpendRequest,
): Promise<SpendDecision> {
  const organizationId = organizationOf(context);
  const { database } = context;
  const amount =
    typeof cost === 'string' ? cost : await database.write(organizationId, (tx) => priceCall(tx, organizationId, cost));
  const verdict = await database.find(organizationId, (tx) => check(tx, organizationId, { endUser, agent, amount }));
  return {
    allowed: verdict.allowed,
    holdId: null,
    amount,
    left: verdict.remaining,
    because: enumValue(verdict.because),
    allowanceId: verdict.allowanceId,
    expiresAt: null,
  };
}
