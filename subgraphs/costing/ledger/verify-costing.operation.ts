/** Audits the books of this subgraph: credits, and the ledger against all that is derived from it. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type Audit, auditCredits } from '../credits/audit-credits.query.ts';
import { auditLedger } from './audit-ledger.query.ts';

/** Of the organization that the operator names, else of all. */
export function verifyCosting({ database, principal }: SubgraphContext): Promise<Audit[]> {
  return database.acrossOrganizations(async (em) => [
    ...(await auditCredits(em, principal.organizationId)),
    ...(await auditLedger(em, principal.organizationId)),
  ]);
}
