/** Returns the organization's remaining event credits. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findCredits } from './credit-account.table.ts';
import { type CreditBalance, creditBalance } from './credit-balance.ts';

export async function getCredits(context: SubgraphContext): Promise<CreditBalance> {
  const organizationId = organizationOf(context);
  const { account, softLimit } = await context.database.snapshot(organizationId, (tx) =>
    findCredits(tx, organizationId),
  );
  return creditBalance(organizationId, account, softLimit, now());
}
