/** A page of a subgraph's audit log, newest first. */
import type { OrganizationId } from '#kernel/ids.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { type PageInput, parseKeysetPage, toKeysetConnection, type UncountedConnection } from '#kernel/page-cursor.ts';
import { type AuditRecord, findAuditRecords, NO_ORGANIZATION } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

export type AuditRecordView = AuditRecord & { readonly actor: ReturnType<typeof enumValue<AuditRecord['actorKind']>> };

const AUDIT_PAGE_MAX = 200;

/** The log to read: the organization's, or, for an operator without one, operators' actions on the service. */
export function auditedOrganizationOf(context: SubgraphContext): string {
  const { kind, organizationId } = context.principal;
  return kind === 'operator' && organizationId === null ? NO_ORGANIZATION : organizationOf(context);
}

/** A cursor may be of any subgraph's log, since ids increase over time. Fails with `VALIDATION_ERROR`. */
export async function readAuditLog(
  { database }: SubgraphContext,
  organizationId: OrganizationId,
  input: PageInput,
): Promise<UncountedConnection<AuditRecordView>> {
  const page = parseKeysetPage(input, AUDIT_PAGE_MAX);
  const records = await database.write(organizationId, (tx) =>
    findAuditRecords(tx, organizationId, page.limit + 1, page.after),
  );
  return toKeysetConnection(
    records.map((record) => ({ ...record, actor: enumValue(record.actorKind) })),
    page,
  );
}
