/** What an OAuth client asks of a person, kept here while the person decides: the form carries nothing but its id. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AuthorizationRequestTable = defineEntity({
  name: 'AuthorizationRequest',
  tableName: 'authorization_request',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** The one session that may decide. */
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

/** Takes the decision of a session, once. `null` when there is nothing left for it to decide. */
export async function decideRequest(
  em: EntityManager,
  organizationId: string,
  sessionId: string,
  id: string,
  now: Date,
): Promise<AuthorizationRequest | null> {
  const open = { organizationId, id, sessionId, decidedAt: null, expiresAt: { $gt: now } };
  if ((await em.nativeUpdate(AuthorizationRequestTable, open, { decidedAt: now })) !== 1) return null;
  return em.findOne(AuthorizationRequestTable, { organizationId, id });
}

export async function deleteOldRequests(em: EntityManager, before: Date): Promise<void> {
  await em.nativeDelete(AuthorizationRequestTable, { expiresAt: { $lt: before } });
}
