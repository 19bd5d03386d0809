/** The audit log: who did what to keys, sessions, second factors and OAuth clients. Rows are never changed. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import { uuidsV7 } from '../../../platform/uuid-v7.ts';

export const AuditRecordTable = defineEntity({
  name: 'AuditRecord',
  tableName: 'audit_record',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Grows with time. */
    id: p.uuid().primary(),
    at: p.datetime(3),
    act: p.text(),
    /** What kind of caller did it: a session, an operator, whoever held an API key, an OAuth client. */
    actorKind: p.text(),
    accountUserId: p.uuid().nullable(),
    /** The key, session or request that it was done to. */
    subjectId: p.uuid().nullable(),
    /** For people: a name, an address. Never a secret. */
    detail: p.text().nullable(),
  },
});

export type AuditRecord = InferEntity<typeof AuditRecordTable>;

export type Act =
  | 'account_user.created' | 'api_key.created' | 'api_key.revealed' | 'api_key.revoked' | 'api_key.rotated'
  | 'authorization.approved' | 'authorization.denied' | 'authorization_code.reused' | 'device_login.approved' | 'device_login.denied'
  | 'organization.created' | 'recovery_code.used' | 'recovery_codes.replaced' | 'second_factor.turned_off' | 'second_factor.turned_on'
  | 'session.ended' | 'session.others_ended' | 'session.started' | 'sign_in_attempt.voided';

export interface Happening {
  readonly organizationId: string;
  readonly at: Date;
  readonly act: Act;
  readonly actorKind: 'session' | 'operator' | 'api-key' | 'oauth-client' | 'service' | 'anonymous';
  readonly accountUserId?: string | null;
  readonly subjectId?: string | null;
  readonly detail?: string | null;
}

/** In the transaction of the act: both happen or neither. */
export async function recordAct(em: EntityManager, { accountUserId = null, subjectId = null, detail = null, ...happening }: Happening): Promise<void> {
  await em.insert(AuditRecordTable, { ...happening, id: uuidsV7(1)[0] ?? '', accountUserId, subjectId, detail });
}

/** Newest first, those before a record when one is named. */
export function listAuditRecords(em: EntityManager, organizationId: string, limit: number, before: string | null): Promise<AuditRecord[]> {
  return em.find(AuditRecordTable, { organizationId, ...(before === null ? {} : { id: { $lt: before } }) }, { orderBy: { id: 'desc' }, limit });
}
