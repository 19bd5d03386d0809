/** Who did what to the organization's rates, ledger and credits, or, for an operator without one, to everybody's rates. */
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { type AuditPage, type AuditRecordView, readAuditLog } from '../../../platform/subgraph/read-audit-log.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Only an operator has no organization. */
export function listAuditRecords(context: SubgraphContext, page: AuditPage): Promise<AuditRecordView[]> {
  const isGlobal = context.principal.kind === 'operator' && context.principal.organizationId === null;
  return readAuditLog(context, isGlobal ? GLOBAL_TENANT : organizationOf(context), page);
}
