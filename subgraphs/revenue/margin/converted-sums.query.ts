/** Revenue of a window in a reporting currency. Records in that currency are used unchanged. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { Window } from '#kernel/time/window.ts';
import { recognizedSql, touchesSql } from '../recognition/recognized-sql.ts';
import type { CustomerRevenue } from './margin-sums.query.ts';

const [START, END] = [':start::timestamptz', ':end::timestamptz'] as const;

/** Entries that are recognized at least partly in the window; `amount` is null until they are converted. */
const RECORDS = `
  select record.customer_id, record.period_start, record.period_end, record.recognized_from, record.records, record.currency,
    record.amount as own_amount, case when record.currency = lower(:currency) then record.amount else converted.amount end as amount
  from revenue_record as record
  left join converted_entry as converted on converted.organization_id = :organizationId and converted.line_id = record.line_id
    and converted.sequence = record.sequence and converted.currency = :currency
  where record.organization_id = :organizationId and ${touchesSql('record', START, END)}`;

interface Input {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
  /** Upper case. */
  readonly currency: string;
}

const CONVERTED_REVENUE = statement<CustomerRevenue, Input & { readonly customersMax: number }>(`
  with recognized as (
    select customer_id, sum(${recognizedSql('record', START, END)}) as revenue, sum(records) as records,
      coalesce(sum(amount) filter (where greatest(period_start, recognized_from) >= :start), 0) as starting
    from (${RECORDS}) as record where amount is not null
    group by customer_id)
  select coalesce(customer.id, recognized.customer_id) as customer_id, name, coalesce(linked_external_id, metadata_external_id) as external_id,
    coalesce(revenue, 0)::text as revenue, coalesce(records, 0)::float8 as records, coalesce(starting, 0)::text as starting
  from (select * from customer where organization_id = :organizationId) as customer full join recognized on recognized.customer_id = customer.id
  where recognized.revenue is not null or coalesce(linked_external_id, metadata_external_id) is not null
  order by customer_id limit :customersMax`);

/** Like `revenueByCustomer`, in a reporting currency. Records that are not converted yet are not included. */
export function convertedRevenueByCustomer(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
  { currency, customersMax }: { readonly currency: string; readonly customersMax: number },
): Promise<CustomerRevenue[]> {
  return tx.all(CONVERTED_REVENUE, { organizationId, start: start.iso, end: end.iso, currency, customersMax });
}

export interface WaitingRevenue {
  /** Lower case. */
  currency: string;
  records: number;
  /** Recognized in the window. */
  amount: string;
}

const WAITING_REVENUE = statement<WaitingRevenue, Input>(`
  select currency, sum(records)::float8 as records, sum(${recognizedSql('record', START, END)})::text as amount
  from (
    select period_start, period_end, recognized_from, records, currency, own_amount as amount
    from (${RECORDS}) as entry where amount is null) as record
  group by currency order by currency`);

/** Revenue of the window that waits for an exchange rate, by its own currency. */
export function waitingRevenue(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
  currency: string,
): Promise<WaitingRevenue[]> {
  return tx.all(WAITING_REVENUE, { organizationId, start: start.iso, end: end.iso, currency });
}
