/** Invitations: a link with which somebody makes an account of this organization, once, with a password of their own choice. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';
import { ROLES } from '../account-user.table.ts';

export const InvitationTable = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** In its one spelling, as of an account user. */
    email: p.string().length(254),
    role: p.enum(ROLES),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    /** The account user who invited; null: an operator. */
    invitedBy: p.uuid().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'invitation_token_hash_unique', properties: ['tokenHash'] }],
});

export type Invitation = InferEntity<typeof InvitationTable>;

const OPEN = { acceptedAt: null, revokedAt: null };

/** Newest first; only those that can still be accepted. */
export function listOpenInvitations(em: EntityManager, organizationId: string, now: Date): Promise<Invitation[]> {
  return em.find(
    InvitationTable,
    { organizationId, ...OPEN, expiresAt: { $gt: now } },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  );
}

export function findInvitation(em: EntityManager, organizationId: string, id: string): Promise<Invitation | null> {
  return em.findOne(InvitationTable, { organizationId, id });
}

/** In whatever organization. `null` when it cannot be accepted any more. */
export function findOpenInvitation(em: EntityManager, tokenHash: Buffer, now: Date): Promise<Invitation | null> {
  return em.findOne(InvitationTable, { tokenHash, ...OPEN, expiresAt: { $gt: now } });
}

/** Accepts it: of many at once, one does. */
export async function consumeInvitation(
  em: EntityManager,
  { organizationId, id }: Invitation,
  now: Date,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(
      InvitationTable,
      { organizationId, id, ...OPEN, expiresAt: { $gt: now } },
      { acceptedAt: now },
    )) === 1
  );
}

/** Says whether it was open. */
export async function revokeInvitation(
  em: EntityManager,
  organizationId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  return (await em.nativeUpdate(InvitationTable, { organizationId, id, ...OPEN }, { revokedAt: now })) === 1;
}

/** A new invitation of an address takes the place of the one before. */
export async function revokeInvitationsOf(
  em: EntityManager,
  organizationId: string,
  email: string,
  now: Date,
): Promise<void> {
  await em.nativeUpdate(InvitationTable, { organizationId, email, ...OPEN }, { revokedAt: now });
}

export async function deleteOldInvitations(em: EntityManager, before: Date): Promise<void> {
  await em.nativeDelete(InvitationTable, { expiresAt: { $lt: before } });
}
