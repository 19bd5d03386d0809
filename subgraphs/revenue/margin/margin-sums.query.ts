/** Revenue recognized in a window, by customer. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { Window } from '#kernel/time/window.ts';
import { recognizedSql, touchesSql } from '../recognition/recognized-sql.ts';

export interface CustomerRevenue {
  /** Null for invoices without a customer. */
  customerId: string | null;
  name: string | null;
  /** End user from the manual link, otherwise from the metadata. */
  externalId: string | null;
  /** Revenue recognized in the window, USD. */
  revenue: string;
  /** Number of records recognized at least partly in the window. */
  records: number;
  /** Unallocated sum of the records whose recognition starts in the window. */
  starting: string;
}

const REVENUE_BY_CUSTOMER = statement<
  CustomerRevenue,
  {
    readonly organizationId: OrganizationId;
    readonly start: string;
    readonly end: string;
    readonly customersMax: number;
  }
>(`
  with recognized as (
    select customer_id, sum(${recognizedSql('record', ':start::timestamptz', ':end::timestamptz')}) as revenue, sum(records) as records,
      coalesce(sum(amount) filter (where greatest(period_start, recognized_from) >= :start), 0) as starting
    from revenue_record as record
    where organization_id = :organizationId and currency = 'usd' and ${touchesSql('record', ':start::timestamptz', ':end::timestamptz')}
    group by customer_id)
  select coalesce(customer.id, recognized.customer_id) as customer_id, name, coalesce(linked_external_id, metadata_external_id) as external_id,
    coalesce(revenue, 0)::text as revenue, coalesce(records, 0)::float8 as records, coalesce(starting, 0)::text as starting
  from (select * from customer where organization_id = :organizationId) as customer full join recognized on recognized.customer_id = customer.id
  where recognized.revenue is not null or coalesce(linked_external_id, metadata_external_id) is not null
  order by customer_id limit :customersMax`);

/** Customers that have an end user, or revenue in the window; the first `customersMax` by id. USD only. */
export async function revenueByCustomer(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  customersMax: number,
): Promise<CustomerRevenue[]> {
  return tx.all(REVENUE_BY_CUSTOMER, { organizationId, start: window.start.iso, end: window.end.iso, customersMax });
}

const RECORDS_IN_OTHER_CURRENCIES = statement<
  { currency: string; records: number },
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string }
>(`
  select currency, sum(records)::float8 as records from revenue_record as record
  where organization_id = :organizationId and currency <> 'usd' and ${touchesSql('record', ':start::timestamptz', ':end::timestamptz')}
  group by currency having sum(records) > 0 order by currency`);

/** Counts the window's records in other currencies, which no figure includes. */
export function recordsInOtherCurrencies(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<{ currency: string; records: number }[]> {
  return tx.all(RECORDS_IN_OTHER_CURRENCIES, { organizationId, start: window.start.iso, end: window.end.iso });
}
