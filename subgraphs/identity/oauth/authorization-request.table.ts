/** Authorization requests of OAuth clients, stored while a person decides: the form contains only the id. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const AuthorizationRequestTable = defineEntity({
  name: 'AuthorizationRequest',
  tableName: 'authorization_request',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** The only session that may decide. */
    sessionId: p.uuid(),
    accountUserId: p.uuid(),
    clientId: p.uuid(),
    clientName: p.text(),
    redirectUri: p.text(),
    state: p.text().nullable(),
    codeChallenge: p.text(),
    scopes: p.array(),
    resource: p.text().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
  },
});

export type AuthorizationRequest = InferEntity<typeof AuthorizationRequestTable>;

/** Records the session's decision, once. Returns `null` if the session has no open request with this id. */
export async function decideRequest(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  sessionId: string,
  id: string,
  now: Date,
): Promise<AuthorizationRequest | null> {
  const open = { organizationId, id, sessionId, decidedAt: null, expiresAt: { $gt: now } };
  if ((await tx.em.nativeUpdate(AuthorizationRequestTable, open, { decidedAt: now })) !== 1) return null;
  return tx.em.findOne(AuthorizationRequestTable, { organizationId, id });
}

export async function deleteOldRequests(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(AuthorizationRequestTable, { expiresAt: { $lt: before } });
}
