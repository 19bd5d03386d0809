/** The credits on bills, by day. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { type Money, money } from '#kernel/money.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';

/** A period for which a bill states charges. */
export interface CreditDays {
  readonly connectionId: string;
  readonly provider: string;
  readonly currency: string;
  readonly day: string;
  readonly lastDay: string;
  /** Negative; zero if the bill states no credit for the period. */
  readonly credit: Money;
}

interface Wanted {
  readonly organizationId: OrganizationId;
  readonly connectionIds: readonly string[];
  readonly providers: readonly string[];
  readonly from: string;
  readonly until: string;
}

const READ = statement(
  (input: Parameters<Wanted>) =>
    sql<Omit<CreditDays, 'credit'> & { credit: string }>`select connection_id, provider, currency, day::text as day,
        last_day::text as last_day, coalesce(sum(credit), 0)::text as credit
      from bill_line where organization_id = ${input.organizationId} and part = 'cost'
        and connection_id = any(${input.connectionIds}::uuid[]) and provider = any(${input.providers}::text[])
        and day >= ${input.from}::date and last_day < ${input.until}::date
      group by 1, 2, 3, 4, 5`,
);

/** Credits on bills whose periods are within a half-open range of days. */
export async function readCreditDays(tx: Transaction, input: Wanted): Promise<CreditDays[]> {
  return (await tx.all(READ, input)).map((row) => ({ ...row, credit: money(row.credit) }));
}
