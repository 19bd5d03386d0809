/** Lists open items that an account user issued to others; shown before the user is disabled, demoted or removed. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { now } from '#platform/clock.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { findAccountUser } from '../account-user.table.ts';
import { isUuid } from '#kernel/uuid.ts';
import { mayManage } from './may-manage.ts';

export interface IssuedItem {
  readonly kind: 'INVITATION' | 'PASSWORD_RESET' | 'API_KEY';
  readonly itemId: string;
  /** Address of the person it was issued to. */
  readonly email: string;
  /** Name of a key. */
  readonly name: string | null;
  readonly createdAt: Date;
}

/** Newest first. Fails with `NOT_FOUND` for an account user whom the caller may not manage. */
export async function listIssued(context: SubgraphContext, id: string): Promise<IssuedItem[]> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const user = isUuid(id) ? await findAccountUser(tx, organizationId, id) : null;
    if (!user || !mayManage(context.principal, user.role)) return fail('NOT_FOUND', 'There is no such account user');
    const rows = await tx.all(ISSUED, { organizationId, accountUserId: id, at: now() });
    return rows.map(({ createdMs, ...item }) => ({ ...item, createdAt: new Date(createdMs) }));
  });
}

/** SQL on tables of other modules: those modules depend on this one, so this one cannot import them. */
const ISSUED = statement(
  (input: Parameters<{ organizationId: OrganizationId; accountUserId: AccountUserId; at: Date }>) => sql<
    Omit<IssuedItem, 'createdAt'> & { readonly createdMs: number }
  >`
    select kind, id as item_id, email, name, (extract(epoch from created_at) * 1000)::float8 as created_ms from (
      select 'INVITATION' as kind, id, email, null as name, created_at from invitation
       where organization_id = ${input.organizationId} and invited_by = ${input.accountUserId}
         and accepted_at is null and revoked_at is null and expires_at > ${input.at}
      union all
      select 'PASSWORD_RESET', reset.id, target.email, null, reset.created_at from password_reset reset, account_user target
       where reset.organization_id = ${input.organizationId} and reset.issued_by = ${input.accountUserId}
         and reset.consumed_at is null and reset.expires_at > ${input.at}
         and target.organization_id = reset.organization_id and target.id = reset.account_user_id
      union all
      select 'API_KEY', key.id, holder.email, key.name, key.created_at from api_key key, account_user holder
       where key.organization_id = ${input.organizationId} and key.created_by = ${input.accountUserId}
         and key.account_user_id <> ${input.accountUserId} and key.revoked_at is null
         and (key.expires_at is null or key.expires_at > ${input.at})
         and holder.organization_id = key.organization_id and holder.id = key.account_user_id
    ) issued order by created_ms desc, id desc`,
);
