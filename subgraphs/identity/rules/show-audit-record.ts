/** What an owner reads of an act. */
import type { AuditRecord } from '../data/audit-record.ts';

export type ShownAuditRecord = ReturnType<typeof showAuditRecord>;

export function showAuditRecord({ id, at, act, actorKind, accountUserId, subjectId, detail }: AuditRecord) {
  return { id, at, act, actorKind, accountUserId: accountUserId ?? null, subjectId: subjectId ?? null, detail: detail ?? null };
}
