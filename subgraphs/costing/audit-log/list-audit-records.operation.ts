/**
 * Lists actions on the organization's rates, ledger and credits; for an operator without an organization, on standard
 * rates.
 */
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type AuditPage, type AuditRecordView, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Only an operator can be without an organization. */
export function listAuditRecords(context: SubgraphContext, page: AuditPage): Promise<AuditRecordView[]> {
  const isGlobal = context.principal.kind === 'operator' && context.principal.organizationId === null;
  return readAuditLog(context, isGlobal ? GLOBAL_TENANT : organizationOf(context), page);
}
