/** Whether the maker of a one-time link may still make it: an SQL condition, so that claiming a link is one UPDATE. */
import { type RawBuilder, sql } from 'kysely';

export interface IssuedLink {
  readonly organizationId: RawBuilder<string>;
  /** The account user who made the link; null: an operator. */
  readonly issuedBy: RawBuilder<string | null>;
  /** The role of the account that the link opens. */
  readonly role: RawBuilder<string>;
}

/** The same judgement as `mayManage`, with the role that the maker has now. An operator always may. */
export function mayStillIssue({ organizationId, issuedBy, role }: IssuedLink): RawBuilder<boolean> {
  return sql<boolean>`(${issuedBy} is null or exists (
    select 1 from account_user issuer
     where issuer.organization_id = ${organizationId} and issuer.id = ${issuedBy} and issuer.disabled_at is null
       and (issuer.role = 'owner' or (issuer.role = 'admin' and ${role} = 'member'))))`;
}
