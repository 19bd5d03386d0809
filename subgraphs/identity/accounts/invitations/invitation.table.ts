/** Invitations: links that each create one account in the organization. The invited person chooses the password. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type Role, ROLES } from '../role.ts';
import { mayStillIssue } from '../members/may-still-issue.query.ts';

export const InvitationTable = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Normalized like the address of an account user. */
    email: p.string().length(254),
    role: p.enum(ROLES),
    /** SHA-256 of the token, which has 256 random bits. */
    tokenHash: p.blob(),
    /** The account user who sent it; null for an operator. */
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

export interface OpenInvitation {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** True if the invitation can be accepted: its issuer must still be allowed to invite with its role. */
const isOpen = (at: Parameters<{ at: Date }>['at']) => sql<boolean>`
  invitation.accepted_at is null and invitation.revoked_at is null and invitation.expires_at > ${at}
  and ${mayStillIssue({ organizationId: sql`invitation.organization_id`, issuedBy: sql`invitation.invited_by`, role: sql`invitation.role` })}`;

const OPEN_INVITATIONS = statement(
  (input: Parameters<{ organizationId: OrganizationId | null; tokenHash: Buffer | null; at: Date }>) => sql<
    Omit<OpenInvitation, 'createdAt' | 'expiresAt'> & Readonly<Record<'createdMs' | 'expiresMs', number>>
  >`
    select organization_id, id, email, role, invited_by,
           (extract(epoch from created_at) * 1000)::float8 as created_ms,
           (extract(epoch from expires_at) * 1000)::float8 as expires_ms
      from invitation
     where (${input.organizationId}::uuid is null or organization_id = ${input.organizationId})
       and (${input.tokenHash}::bytea is null or token_hash = ${input.tokenHash})
       and ${isOpen(input.at)}
     order by created_at desc, id desc`,
);

/**
 * Lists invitations that can still be accepted, newest first: of an organization, or the one with this token in any
 * organization.
 */
export async function listOpenInvitations(
  tx: WriteTransaction,
  filter: { readonly organizationId?: OrganizationId; readonly tokenHash?: Buffer },
  at: Date,
): Promise<OpenInvitation[]> {
  const { organizationId = null, tokenHash = null } = filter;
  const rows = await tx.all(OPEN_INVITATIONS, { organizationId, tokenHash, at });
  return rows.map(({ createdMs, expiresMs, ...invitation }) => ({
    ...invitation,
    createdAt: new Date(createdMs),
    expiresAt: new Date(expiresMs),
  }));
}

export function findInvitation(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Invitation | null> {
  return tx.em.findOne(InvitationTable, { organizationId, id });
}

export type ClaimedInvitation = Pick<OpenInvitation, 'organizationId' | 'id' | 'email' | 'role'>;

const CLAIM_INVITATION = statement(
  ({ tokenHash, at }: Parameters<{ tokenHash: Buffer; at: Date }>) => sql<ClaimedInvitation>`
    update invitation set accepted_at = ${at} where token_hash = ${tokenHash} and ${isOpen(at)}
    returning organization_id, id, email, role`,
);

/** Accepts an invitation. Only one of several concurrent requests succeeds. */
export function claimInvitation(tx: WriteTransaction, tokenHash: Buffer, at: Date): Promise<ClaimedInvitation | null> {
  return tx.first(CLAIM_INVITATION, { tokenHash, at });
}

/** Returns whether it was open. */
export async function revokeInvitation(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  now: Date,
): Promise<boolean> {
  return (await tx.em.nativeUpdate(InvitationTable, { organizationId, id, ...OPEN }, { revokedAt: now })) === 1;
}

/** A new invitation replaces an earlier one for the same address. */
export async function revokeInvitationsOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  email: string,
  now: Date,
): Promise<void> {
  await tx.em.nativeUpdate(InvitationTable, { organizationId, email, ...OPEN }, { revokedAt: now });
}

export async function deleteOldInvitations(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(InvitationTable, { expiresAt: { $lt: before } });
}
