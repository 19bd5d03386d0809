/**
 * Verifies the data of this subgraph: credits, the ledger against everything derived from it, and work that does not
 * finish.
 */
import { parseDayRange } from '#kernel/time/day-range.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { verifyAllowances } from '../allowances/verify-allowances.query.ts';
import { type VerificationCheck, verifyCredits } from '../credits/verify-credits.query.ts';
import { verifyAllocations } from '../fixed-costs/verify-allocations.query.ts';
import { verifyReplacedCosts } from '../fixed-costs/verify-replaced-costs.step.ts';
import { verifyLedger } from '../ledger/verify-ledger.query.ts';
import { verifyCommitments } from '../commitments/verify-commitments.step.ts';
import { verifyProviderCredits } from '../provider-credits/verify-provider-credits.step.ts';
import type { QueryVerifyCostingArgs } from '../resolvers.generated.ts';
import { verifyEnds } from './verify-ends.query.ts';
import { findRequeueing, verifyWaitingEvents } from './verify-waiting-events.step.ts';

/**
 * For the operator's chosen organization, or for all. `DAYS`: only the checks that run by day, for the given days;
 * `REST`: all others. A large organization is verified some days at a time.
 */
export async function verifyCosting(
  { database, principal: { organizationId } }: SubgraphContext,
  { part = 'ALL', ...range }: Partial<QueryVerifyCostingArgs> = {},
): Promise<VerificationCheck[]> {
  const days = parseDayRange(range);
  const requeueing = part === 'DAYS' ? new Set<string>() : await findRequeueing(database);
  return database.system(async (tx) => [
    ...(part === 'DAYS' ? [] : await verifyCredits(tx, organizationId)),
    ...(part === 'REST'
      ? []
      : [
          ...(await verifyLedger(tx, organizationId, days)),
          await verifyAllocations(tx, organizationId, days),
          await verifyReplacedCosts(tx, organizationId, days),
        ]),
    ...(part === 'DAYS'
      ? []
      : [
          ...(await verifyAllowances(tx, organizationId)),
          await verifyProviderCredits(tx, organizationId),
          await verifyCommitments(tx, organizationId),
          ...(await verifyEnds(tx, organizationId)),
          await verifyWaitingEvents(tx, organizationId, requeueing),
        ]),
  ]);
}
