/** Amounts of a window that are not counted, or not for a customer, for the margin's warnings. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { MAY_BE_UNCOUNTED } from '../records/invoice.table.ts';

/**
 * `open`: unpaid parts of open invoices. `partly_paid`: payments received for open invoices. `without_customer`:
 * charges without a customer. `given_credit`: paid with credit that was counted when it was bought. `unknown_credit`:
 * paid from a balance whose transactions cannot be read.
 */
export type UncountedKind = 'open' | 'partly_paid' | 'without_customer' | 'given_credit' | 'unknown_credit';

export interface UncountedAmount {
  readonly kind: UncountedKind;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly count: number;
  /** Minor units. */
  readonly amountMinor: string;
  readonly customers: number;
  /** Customers with the largest amounts, and these amounts in minor units. */
  readonly names: readonly string[];
  readonly amounts: readonly string[];
}

const NAMED_MAX = sql.lit(3);

const UNCOUNTED_AMOUNTS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; start: string; end: string; currency: string | null }>,
  ) => sql<UncountedAmount>`with by_customer as (
       select part.kind, invoice.currency, invoice.customer_id, count(*) as invoices, sum(part.amount) as amount
       from invoice cross join lateral (values
         ('open', case when status = 'open' then remaining_minor end),
         ('partly_paid', case when status = 'open' then received_minor end),
         ('without_customer', case when is_charge and status = 'paid' and customer_id is null then received_minor end),
         ('given_credit', case when status in ('paid', 'uncollectible') then given_credit_minor end),
         ('unknown_credit', case when status in ('paid', 'uncollectible') and given_credit_minor is null then balance_minor end)
       ) as part (kind, amount)
       where organization_id = ${input.organizationId} and (${sql.raw(MAY_BE_UNCOUNTED)}) and (${input.currency}::text is null or currency = ${input.currency}) and part.amount > 0
         and period_start < ${input.end}::timestamptz and (period_end > ${input.start}::timestamptz or period_start >= ${input.start}::timestamptz)
       group by part.kind, invoice.currency, invoice.customer_id)
     select kind, currency, sum(invoices)::float8 as count, sum(amount)::text as amount_minor, count(*)::float8 as customers,
       (array_agg(coalesce(customer.name, by_customer.customer_id, 'no customer') order by amount desc, by_customer.customer_id))[1:${NAMED_MAX}] as names,
       (array_agg(amount::text order by amount desc, by_customer.customer_id))[1:${NAMED_MAX}] as amounts
     from by_customer left join customer on customer.organization_id = ${input.organizationId} and customer.id = by_customer.customer_id
     group by kind, currency order by kind, currency`,
);

/** `currency`: only this one (lower case); null for all. */
export function uncountedAmounts(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  currency: string | null,
): Promise<UncountedAmount[]> {
  return tx.all(UNCOUNTED_AMOUNTS, { organizationId, start: window.start.iso, end: window.end.iso, currency });
}
