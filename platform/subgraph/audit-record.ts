/** The audit log of a subgraph's own actions: shared table form, insert and page. Rows are never changed. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '../database/transaction.ts';
import { statement } from '../database/statement.ts';
import { tenantTable } from '../database/tenant-table.ts';
import type { Principal } from '../principal.ts';
import { uuidsV7 } from '../uuid-v7.ts';

/** Creates the entity that a subgraph's `audit-log/audit-record.table.ts` exports. */
export function auditTable(name: string) {
  return defineEntity({
    name: 'AuditRecord',
    tableName: 'audit_record',
    ...tenantTable(name),
    properties: {
      organizationId: p.uuid().primary(),
      /** Increases over time. */
      id: p.uuid().primary(),
      at: p.datetime(3),
      action: p.text().fieldName('act'),
      /** Kind of caller: a session, an operator, an API key, an OAuth client. */
      actorKind: p.text(),
      accountUserId: p.uuid().nullable(),
      /** The session, key or operator token used. */
      credentialId: p.uuid().nullable(),
      /** The changed object: its id or key. */
      subjectId: p.text().nullable(),
      /** Details for readers: a name, an address, an amount. Never a secret. */
      detail: p.text().nullable(),
    },
  });
}

/** Actions of an operator on the service itself. */
export const NO_ORGANIZATION = '00000000-0000-0000-0000-000000000000';

export interface Actor {
  readonly actorKind: Principal['kind'] | 'oauth-client';
  readonly accountUserId?: AccountUserId | null;
  readonly credentialId?: string | null;
}

/** One of the subgraph's actions. */
export interface AuditEvent<AuditAction extends string> extends Actor {
  readonly organizationId: OrganizationId;
  readonly at: Date;
  readonly action: AuditAction;
  readonly subjectId?: string | null;
  readonly detail?: string | null;
}

/** GraphQL view. */
export interface AuditRecord extends Required<Actor> {
  readonly id: string;
  readonly at: Date;
  readonly action: string;
  readonly subjectId: string | null;
  readonly detail: string | null;
}

export function actorOf({ kind, accountUserId, credentialId }: Principal): Required<Actor> {
  return { actorKind: kind, accountUserId, credentialId };
}

const INSERT_AUDIT_RECORD = statement<object, Required<AuditEvent<string>> & { readonly id: string }>(`
  insert into audit_record (organization_id, id, at, act, actor_kind, account_user_id, credential_id, subject_id, detail)
  values (:organizationId, :id, :at, :action, :actorKind, :accountUserId, :credentialId, :subjectId, :detail)`);

/** Call it in the action's transaction, so that both happen or neither. */
export async function insertAuditRecord<Action extends string>(
  tx: WriteTransaction,
  event: AuditEvent<Action>,
): Promise<void> {
  const { accountUserId = null, credentialId = null, subjectId = null, detail = null } = event;
  const [id = ''] = uuidsV7(1);
  await tx.run(INSERT_AUDIT_RECORD, { ...event, id, accountUserId, credentialId, subjectId, detail });
}

const FIND_AUDIT_RECORDS = statement<
  Omit<AuditRecord, 'at'> & { atMs: number },
  { readonly organizationId: OrganizationId; readonly limit: number; readonly before: string | null }
>(`
  select id, (extract(epoch from at) * 1000)::float8 as at_ms, act as action, actor_kind, account_user_id,
    credential_id, subject_id, detail
  from audit_record where organization_id = :organizationId and (:before::uuid is null or id < :before)
  order by id desc limit :limit`);

/** Audit records, newest first; with `before`, only older ones. */
export async function findAuditRecords(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  limit: number,
  before: string | null,
): Promise<AuditRecord[]> {
  const rows = await tx.all(FIND_AUDIT_RECORDS, { organizationId, limit, before });
  return rows.map(({ atMs, ...record }) => ({ ...record, at: new Date(atMs) }));
}
