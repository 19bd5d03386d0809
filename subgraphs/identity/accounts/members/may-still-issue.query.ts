/** SQL condition: the issuer of a one-time link may still issue it. In SQL, so that claiming a link is one UPDATE. */
import { type RawBuilder, sql } from 'kysely';
import { MANAGED_BY_ADMINS } from '../role.ts';

const MANAGED = sql.join(MANAGED_BY_ADMINS.map((role) => sql.lit(role)));

export interface IssuedLink {
  readonly organizationId: RawBuilder<string>;
  /** The account user who issued the link; null for an operator. */
  readonly issuedBy: RawBuilder<string | null>;
  /** Role of the account that the link gives access to. */
  readonly role: RawBuilder<string>;
}

/** The same rule as `mayManage`, applied to the issuer's current role. Operators always may. */
export function mayStillIssue({ organizationId, issuedBy, role }: IssuedLink): RawBuilder<boolean> {
  return sql<boolean>`(${issuedBy} is null or exists (
    select 1 from account_user issuer
     where issuer.organization_id = ${organizationId} and issuer.id = ${issuedBy} and issuer.disabled_at is null
       and (issuer.role = 'owner' or (issuer.role = 'admin' and ${role} in (${MANAGED})))))`;
}
