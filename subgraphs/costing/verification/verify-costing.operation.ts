/** Verifies the books of this subgraph: credits, the ledger against all that is derived from it, and what does not come to its end. */
import { parseDayRange } from '../../../kernel/time/day-range.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type VerificationCheck, verifyCredits } from '../credits/verify-credits.query.ts';
import { verifyLedger } from '../ledger/verify-ledger.query.ts';
import type { QueryVerifyCostingArgs } from '../resolvers.generated.ts';
import { verifyEnds } from './verify-ends.query.ts';
import { findRequeueing, verifyWaitingEvents } from './verify-waiting-events.step.ts';

/**
 * Of the organization that the operator names, else of all. `DAYS`: the checks that go by day, of these days alone; `REST`: the others.
 * A large organization takes days at a time.
 */
export async function verifyCosting(
  { database, principal: { organizationId } }: SubgraphContext,
  { part = 'ALL', ...range }: Partial<QueryVerifyCostingArgs> = {},
): Promise<VerificationCheck[]> {
  const days = parseDayRange(range);
  const requeueing = part === 'DAYS' ? new Set<string>() : await findRequeueing(database);
  return database.acrossOrganizations(async (em) => [
    ...(part === 'DAYS' ? [] : await verifyCredits(em, organizationId)),
    ...(part === 'REST' ? [] : await verifyLedger(em, organizationId, days)),
    ...(part === 'DAYS'
      ? []
      : [...(await verifyEnds(em, organizationId)), await verifyWaitingEvents(em, organizationId, requeueing)]),
  ]);
}
