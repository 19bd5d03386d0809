/**
 * Exchange differences of refunds. A refund takes revenue back at the rate of its invoice, but the processor converts it at the
 * rate of its own day. The difference counts when the processor converted the refund, or if that month was closed when the refund
 * was booked, on the first open day.
 */
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { Window } from '#kernel/time/window.ts';

export interface ExchangeDifference {
  /** End user of the customer; null if there is none. */
  externalId: string | null;
  /** In the reporting currency; negative for a loss. */
  amount: string;
}

interface Input {
  readonly organizationId: string;
  readonly start: string;
  readonly end: string;
  /** Upper case. */
  readonly currency: string;
}

/** Each entry is a difference of two rounded sums, like the converted entries, so that no digit is lost. */
const EXCHANGE_DIFFERENCES = statement(
  (input: Parameters<Input>) => sql<ExchangeDifference>`
    with entry as (
      select record.customer_id, record.amount, rate, settled_rate, greatest(settled_at, record.recognized_from) as counted_at,
        sum(record.amount) over (partition by record.line_id, record.invoice_id, record.currency order by record.sequence) as total
      from reduction
      join revenue_record as record on record.organization_id = ${input.organizationId} and record.kind = 'refund' and record.source_id = reduction.id
      join invoice_rate on invoice_rate.organization_id = ${input.organizationId} and invoice_rate.invoice_id = record.invoice_id
        and invoice_rate.from_currency = upper(record.currency) and invoice_rate.to_currency = ${input.currency}
      where reduction.organization_id = ${input.organizationId} and reduction.kind = 'refund' and settled_at < ${input.end}::timestamptz
        and settled_currency = lower(${input.currency}))
    select coalesce(linked_external_id, metadata_external_id) as external_id,
      trim_scale(sum(round(total * settled_rate, 15) - round((total - amount) * settled_rate, 15)
        - round(total * rate, 15) + round((total - amount) * rate, 15)))::text as amount
    from entry left join customer on customer.organization_id = ${input.organizationId} and customer.id = entry.customer_id
    where counted_at >= ${input.start}::timestamptz and counted_at < ${input.end}::timestamptz
    group by 1`,
);

/** By end user, as many as have refunds that the processor converted. */
export function exchangeDifferences(
  tx: Transaction,
  organizationId: string,
  { start, end }: Window,
  currency: string,
): Promise<ExchangeDifference[]> {
  return tx.all(EXCHANGE_DIFFERENCES, { organizationId, start: start.iso, end: end.iso, currency });
}
