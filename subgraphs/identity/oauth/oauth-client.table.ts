/** OAuth clients: programs that registered themselves. They belong to no organization and have no secret. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const OauthClientTable = defineEntity({
  name: 'OauthClient',
  tableName: 'oauth_client',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    /** As sent; must match exactly. */
    redirectUris: p.array(),
    grantTypes: p.array(),
    createdAt: p.datetime(3),
    /** When a key was last issued to it. */
    lastUsedAt: p.datetime(3).nullable(),
  },
});

export type OauthClient = InferEntity<typeof OauthClientTable>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns `null` also for text that is not a client id. */
export function findClient(tx: WriteTransaction, clientId: string): Promise<OauthClient | null> {
  return UUID.test(clientId) ? tx.em.findOne(OauthClientTable, { id: clientId }) : Promise.resolve(null);
}

export async function touchClient(tx: WriteTransaction, clientId: string, now: Date): Promise<void> {
  if (UUID.test(clientId)) await tx.em.nativeUpdate(OauthClientTable, { id: clientId }, { lastUsedAt: now });
}

/** Deletes clients to which no key was issued since then. */
export async function deleteUnusedClients(tx: WriteTransaction, before: Date): Promise<void> {
  const unused = [{ lastUsedAt: { $lt: before } }, { lastUsedAt: null, createdAt: { $lt: before } }];
  await tx.em.nativeDelete(OauthClientTable, { $or: unused });
}
