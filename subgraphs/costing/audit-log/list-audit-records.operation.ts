/**
 * Lists actions on the organization's rates, ledger and credits; for an operator without an organization, on standard
 * rates.
 */
import type { PageInput, UncountedConnection } from '#kernel/page-cursor.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type AuditRecordView, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { GLOBAL_TENANT } from '../config.ts';

/** Lists records of the caller's organization. An operator without an organization lists changes of shared rates. */
export function listAuditRecords(
  context: SubgraphContext,
  page: PageInput,
): Promise<UncountedConnection<AuditRecordView>> {
  const isGlobal = context.principal.kind === 'operator' && context.principal.organizationId === null;
  return readAuditLog(context, isGlobal ? GLOBAL_TENANT : organizationOf(context), page);
}
