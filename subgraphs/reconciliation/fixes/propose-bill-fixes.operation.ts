/** Lists the fixes for a difference. Changes nothing. */
import { plain } from '#kernel/money.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { wireName } from '#schema/token-classes.ts';
import type { BillFixProposal, QueryBillFixProposeArgs } from '../resolvers.generated.ts';
import { differenceKey, findDifference } from './find-difference.step.ts';
import { proposeFixes } from './propose-fixes.ts';

/** Fails with `NOT_FOUND` if there is no bill for that connection, day, model and unit. */
export async function proposeBillFixes(
  context: SubgraphContext,
  gateway: GatewayClient,
  given: QueryBillFixProposeArgs,
): Promise<BillFixProposal[]> {
  const { day, difference } = await findDifference(context, gateway, differenceKey(given));
  return proposeFixes(day, difference).map(({ kind, title, amount, scope, cause, tokenClass, price, discount }) => ({
    kind,
    title,
    amount: plain(amount),
    scope,
    cause,
    tokenClass: tokenClass === null ? null : wireName(tokenClass),
    pricePerMillion: price === null ? null : plain(price.toDecimalPlaces(9)),
    percent: discount === null ? null : plain(discount.percent),
  }));
}
