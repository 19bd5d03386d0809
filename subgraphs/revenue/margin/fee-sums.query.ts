/** The processor's fees of a window. A fee counts when the payment was made. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Window } from '#kernel/time/window.ts';

export interface DayFees {
  /** End user of the customer; null if there is none. */
  externalId: string | null;
  /** ISO 4217, lower case. */
  currency: string;
  /** `YYYY-MM-DD`. */
  day: string;
  /** Minor units. */
  feeMinor: string;
}

interface Input {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
}

const FEES_BY_DAY = statement(
  (input: Parameters<Input & { rowsMax: number }>) => sql<DayFees>`
    select coalesce(linked_external_id, metadata_external_id) as external_id, fee_currency as currency,
      (charged_at at time zone 'UTC')::date::text as day, sum(fee_minor)::text as fee_minor
    from charge left join customer on customer.organization_id = ${input.organizationId} and customer.id = charge.customer_id
    where charge.organization_id = ${input.organizationId} and charged_at >= ${input.start}::timestamptz and charged_at < ${input.end}::timestamptz and fee_minor <> 0
    group by 1, 2, 3 limit ${input.rowsMax}`,
);

/** Fees by end user, currency and day, at most `rowsMax` rows. */
export function feesByDay(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
  rowsMax: number,
): Promise<DayFees[]> {
  return tx.all(FEES_BY_DAY, { organizationId, start: start.iso, end: end.iso, rowsMax });
}

const UNKNOWN_FEES = statement(
  (input: Parameters<Input>) => sql<{ count: number }>`
    select count(*)::float8 as count from charge
    where organization_id = ${input.organizationId} and captured_minor > 0 and fee_minor is null
      and (charged_at is null or charged_at >= ${input.start}::timestamptz and charged_at < ${input.end}::timestamptz)`,
);

/** Number of payments of the window, and of an unknown time, whose fee is unknown. */
export async function countUnknownFees(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
): Promise<number> {
  return (await tx.one(UNKNOWN_FEES, { organizationId, start: start.iso, end: end.iso })).count;
}
