/** Verifies the books of this subgraph: credits, the ledger against all that is derived from it, and what does not come to its end. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type VerificationCheck, verifyCredits } from '../credits/verify-credits.query.ts';
import { verifyLedger } from '../ledger/verify-ledger.query.ts';
import { verifyEnds } from './verify-ends.query.ts';
import { verifyWaitingEvents } from './verify-waiting-events.step.ts';

/** Of the organization that the operator names, else of all. */
export function verifyCosting({ database, principal }: SubgraphContext): Promise<VerificationCheck[]> {
  return database.acrossOrganizations(async (em) => [
    ...(await verifyCredits(em, principal.organizationId)),
    ...(await verifyLedger(em, principal.organizationId)),
    ...(await verifyEnds(em, principal.organizationId)),
    await verifyWaitingEvents(em, principal.organizationId),
  ]);
}
