/** A page of a subgraph's audit log, newest first. */
import { fail } from '#schema/errors.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { isUuid } from '#kernel/uuid.ts';
import { type AuditRecord, findAuditRecords, NO_ORGANIZATION } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

export interface AuditPage {
  readonly limit: number;
  /** Id of the last record of the previous page; it may be of any subgraph, since ids increase over time. */
  readonly before?: string | null | undefined;
}

export type AuditRecordView = AuditRecord & { readonly actor: ReturnType<typeof enumValue<AuditRecord['actorKind']>> };

const AUDIT_PAGE_MAX = 200;

/** The log to read: the organization's, or, for an operator without one, operators' actions on the service. */
export function auditedOrganizationOf(context: SubgraphContext): string {
  const { kind, organizationId } = context.principal;
  return kind === 'operator' && organizationId === null ? NO_ORGANIZATION : organizationOf(context);
}

/** Fails with `VALIDATION_ERROR` if the page is too large or `before` is not an id. */
export async function readAuditLog(
  { database }: SubgraphContext,
  organizationId: string,
  { limit, before = null }: AuditPage,
): Promise<AuditRecordView[]> {
  if (limit < 1 || limit > AUDIT_PAGE_MAX) fail('VALIDATION_ERROR', `limit must be 1 to ${AUDIT_PAGE_MAX}`);
  if (before !== null && !isUuid(before)) fail('VALIDATION_ERROR', 'before must be the id of a record');
  const records = await database.write(organizationId, (tx) => findAuditRecords(tx, organizationId, limit, before));
  return records.map((record) => ({ ...record, actor: enumValue(record.actorKind) }));
}
