/** The organization's audit log, newest first. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { AUDIT_PAGE_MAX } from '../config.ts';
import { listAuditRecords as findAuditRecords } from '../data/audit-record.ts';
import { isUuid } from '../rules/is-uuid.ts';
import { type ShownAuditRecord, showAuditRecord } from '../rules/show-audit-record.ts';

export async function listAuditRecords(context: SubgraphContext, limit: number, before: string | null): Promise<ShownAuditRecord[]> {
  const organizationId = organizationOf(context);
  if (limit < 1 || limit > AUDIT_PAGE_MAX) fail('VALIDATION_ERROR', `limit must be 1 to ${AUDIT_PAGE_MAX}`);
  if (before !== null && !isUuid(before)) fail('VALIDATION_ERROR', 'before must be the id of a record');
  const records = await context.database.forOrganization(organizationId, (em) => findAuditRecords(em, organizationId, limit, before));
  return records.map(showAuditRecord);
}
