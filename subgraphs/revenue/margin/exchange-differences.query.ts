/**
 * Exchange differences of refunds and lost disputes. They take revenue back at the rate of the invoice, but the
 * processor converts them at the rate of the day on which it pays. The same applies to the part of a credit note that a
 * refund paid back; the rest of the note has no difference. A difference counts at the time when the processor
 * converted the amount. If that month was closed when the amount was booked, it counts on the first open day.
 */
import type { OrganizationId } from '#kernel/ids.ts';
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
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
  /** Upper case. */
  readonly currency: string;
}

/** Each entry is a difference of two rounded sums, like the converted entries, so that no digit is lost. */
const EXCHANGE_DIFFERENCES = statement(
  (input: Parameters<Input>) => sql<ExchangeDifference>`
    with converted as (
      select id, settled_rate, settled_at, 1::numeric as part, 1::numeric as whole, id as source_id
      from reduction
      where organization_id = ${input.organizationId} and settled_at < ${input.end}::timestamptz and settled_currency = lower(${input.currency})
      union all
      select refund.id, refund.settled_rate, refund.settled_at,
        coalesce((linked->>'amountMinor')::numeric, least(refund.amount_minor, note.gross_minor)), note.gross_minor, note.id
      from reduction as note cross join jsonb_array_elements(note.linked_refunds) as linked
      join reduction as refund on refund.organization_id = ${input.organizationId} and refund.id = linked->>'refundId' and refund.counts
        and refund.settled_at < ${input.end}::timestamptz and refund.settled_currency = lower(${input.currency})
      where note.organization_id = ${input.organizationId} and note.kind = 'credit_note' and note.linked_refunds <> '[]' and note.gross_minor > 0),
    entry as (
      select record.customer_id, record.amount, part, whole, rate, settled_rate, greatest(settled_at, record.recognized_from) as counted_at,
        sum(record.amount) over (partition by converted.id, record.line_id, record.invoice_id, record.currency order by record.sequence) as total
      from converted
      join revenue_record as record on record.organization_id = ${input.organizationId} and record.kind <> 'invoice_line' and record.source_id = converted.source_id
      join invoice_rate on invoice_rate.organization_id = ${input.organizationId} and invoice_rate.invoice_id = record.invoice_id
        and invoice_rate.from_currency = upper(record.currency) and invoice_rate.to_currency = ${input.currency})
    select coalesce(linked_external_id, metadata_external_id) as external_id,
      trim_scale(sum(round(total * part * settled_rate / whole, 15) - round((total - amount) * part * settled_rate / whole, 15)
        - round(total * part * rate / whole, 15) + round((total - amount) * part * rate / whole, 15)))::text as amount
    from entry left join customer on customer.organization_id = ${input.organizationId} and customer.id = entry.customer_id
    where counted_at >= ${input.start}::timestamptz and counted_at < ${input.end}::timestamptz
    group by 1`,
);

/** Exchange differences by end user, for all end users with refunds or disputes that the processor converted. */
export function exchangeDifferences(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
  currency: string,
): Promise<ExchangeDifference[]> {
  return tx.all(EXCHANGE_DIFFERENCES, { organizationId, start: start.iso, end: end.iso, currency });
}
