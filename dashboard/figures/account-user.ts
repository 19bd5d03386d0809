/** Account users of an organization, as shown on the pages. */
import { enumText } from '#kernel/enum-value.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { rawField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';

const ACCOUNT_USERS = graphql(`query AccountUsers {
  accountUsers { id email role createdAt disabledAt hasSecondFactor lastSignedInAt }
  invitations { id email role invitedBy expiresAt }
  organization { name requiresSecondFactor }
}`);

export type AccountUsers = DataOf<'AccountUsers'>;
export type AccountUser = AccountUsers['accountUsers'][number];

/** Permissions of each role, for role pickers. */
export const ROLES = [
  { id: 'viewer', name: 'Viewer', may: 'can view all figures and change nothing; has no keys' },
  { id: 'member', name: 'Member', may: 'can view costs and margins and create their own keys' },
  {
    id: 'finance',
    name: 'Finance',
    may: 'can view all figures, close months, and add notes and comments; has no keys',
  },
  { id: 'admin', name: 'Admin', may: 'can manage all keys and members' },
  { id: 'owner', name: 'Owner', may: 'can manage everyone and read the audit log' },
] as const;

export function listAccountUsers(gateway: GatewayClient, principal: Principal): Promise<AccountUsers> {
  return askGateway(gateway, ACCOUNT_USERS, {}, principal);
}

/** Owners and admins. */
export function isAdmin({ grants }: Pick<Principal, 'grants'>): boolean {
  return grants.includes('owner') || grants.includes('admin');
}

/**
 * An admin manages members and viewers; an owner manages everybody. The graph enforces this; the page only hides
 * options that it would refuse.
 */
export function rolesFor({ grants }: Principal): readonly (typeof ROLES)[number][] {
  return ROLES.filter(({ id }) => grants.includes('owner') || id === 'member' || id === 'viewer');
}

export function accountBadges({ role, disabledAt, hasSecondFactor }: AccountUser): Html {
  return html`<span class="badge">${enumText(role)}</span>${hasSecondFactor && html` <span class="badge good">two-step</span>`}${disabledAt !== null && html` <span class="badge bad">disabled</span>`}`;
}

export function roleChoices(roles: readonly (typeof ROLES)[number][], chosen: string): Html {
  return html`<fieldset><legend>Role</legend>${roles.map(
    ({ id, name, may }) => html`
    <label class="choice"><input type="radio" name="role" value="${id}" required${id === chosen && html` checked`}>
      <span><strong>${name}</strong><br><span class="muted">${may}</span></span></label>`,
  )}</fieldset>`;
}

/** Password field for the signed-in person, required to create and manage owners. */
export function ownPasswordField(why: string | null): Html {
  return html`<label>Your own password${why !== null && html` <span class="muted">(${why})</span>`}
    <input type="password" name="ownPassword" autocomplete="current-password"${why === null && html` required`}></label>`;
}

/** The typed password as a document variable; omitted if nothing was typed. */
export function ownPassword(form: URLSearchParams): { ownPassword?: string } {
  const typed = rawField(form, 'ownPassword');
  return typed === '' ? {} : { ownPassword: typed };
}
