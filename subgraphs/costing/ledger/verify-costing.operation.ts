/** Verifies the books of this subgraph: credits, and the ledger against all that is derived from it. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type VerificationCheck, verifyCredits } from '../credits/verify-credits.query.ts';
import { verifyLedger } from './verify-ledger.query.ts';

/** Of the organization that the operator names, else of all. */
export function verifyCosting({ database, principal }: SubgraphContext): Promise<VerificationCheck[]> {
  return database.acrossOrganizations(async (em) => [
    ...(await verifyCredits(em, principal.organizationId)),
    ...(await verifyLedger(em, principal.organizationId)),
  ]);
}
