/** Verifies credits: compares the credits spent according to balances with the charged events (decision 9, D13). */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

/** One check: the number of rows checked, and a sentence for each error. */
export interface VerificationCheck {
  readonly check: string;
  readonly checked: number;
  readonly differences: string[];
}

const VERIFY_CREDITS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId | null }>) => sql<CheckRow>`
    select coalesce(account.organization_id, charged.organization_id) as organization,
      coalesce(charged.events, 0)::text as actual, coalesce(account.spent, 0)::text as booked,
      coalesce(charged.events, 0) = coalesce(account.spent, 0) as is_right
    from (select * from credit_account where ${organizationId}::uuid is null or organization_id = ${organizationId}) as account
    full join (
      select organization_id, count(*) as events from usage_event
      where charged and (${organizationId}::uuid is null or organization_id = ${organizationId}) group by organization_id
    ) as charged on charged.organization_id = account.organization_id`,
);

const VERIFY_CREDITS_2 = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId | null }>) => sql<CheckRow>`
    select coalesce(account.organization_id, pack.organization_id) as organization,
      coalesce(pack.used, 0)::text as actual, coalesce(account.spent_from_packs, 0)::text as booked,
      coalesce(pack.used, 0) = coalesce(account.spent_from_packs, 0) and coalesce(pack.are_possible, true) as is_right
    from (select * from credit_account where ${organizationId}::uuid is null or organization_id = ${organizationId}) as account
    full join (
      select organization_id, sum(size - "left") as used, bool_and("left" between 0 and size) as are_possible
      from event_pack where ${organizationId}::uuid is null or organization_id = ${organizationId} group by organization_id
    ) as pack on pack.organization_id = account.organization_id`,
);

/** For one organization, or all that the transaction can see. Each check is one statement and sees one snapshot. */
export async function verifyCredits(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<VerificationCheck[]> {
  const spent = await tx.all(VERIFY_CREDITS, { organizationId });
  const packs = await tx.all(VERIFY_CREDITS_2, { organizationId });
  return [
    toCheck(
      'credits spent = events accepted since the balance was created',
      spent,
      ({ booked, actual }) => `${booked} credits spent, ${actual} events charged`,
    ),
    toCheck(
      'credits spent from packs = used part of the packs',
      packs,
      ({ booked, actual }) => `${booked} credits booked as spent from packs, ${actual} used in the packs`,
    ),
  ];
}

interface CheckRow {
  readonly organization: string;
  readonly actual: string;
  readonly booked: string;
  readonly isRight: boolean;
}

function toCheck(check: string, rows: readonly CheckRow[], say: (row: CheckRow) => string): VerificationCheck {
  const wrong = rows.filter((row) => !row.isRight);
  return {
    check,
    checked: rows.length,
    differences: wrong.map((row) => `organization ${row.organization}: ${say(row)}`),
  };
}
