/** Writes customers and their payments into revenue's own tables, as if syncs had read them. */
import type { Client } from 'pg';
import { END_USER_PREFIX } from '../workload/customer.ts';

const CUSTOMERS = `
  insert into customer (organization_id, id, name, metadata_external_id, deleted, synced_at)
  select $1, 'cus_' || n, 'Customer ' || n, '${END_USER_PREFIX}' || n, false, now() from generate_series(0, $2::int - 1) as n`;

/** Invoice times are staggered over 700 hours, by customer. */
const RECORDS = `
  insert into revenue_record (organization_id, line_id, sequence, kind, source_id, invoice_id, position, customer_id, amount, currency,
    period_start, period_end, records, recorded_at)
  select $1, 'il_' || n || '_' || month, 0, 'invoice_line', 'in_' || n || '_' || month, 'in_' || n || '_' || month, 0, 'cus_' || n,
    5 + n % 90, 'usd', paid + interval '1 month' * month, paid + interval '1 month' * (month + 1), 1, now()
  from generate_series(0, $2::int - 1) as n cross join generate_series(0, $4::int - 1) as month
  cross join lateral (select $3::timestamptz + interval '1 hour' * (n % 700) as paid) as first`;

/**
 * Writes customers, and one invoice line per month for each, into revenue's own tables, as if a sync had read them.
 *
 * Each customer has `months` lines, the first within a month after `first`.
 */
export async function loadRevenue(
  client: Client,
  organizationId: string,
  { customers, first, months }: { customers: number; first: Date; months: number },
): Promise<void> {
  await client.query(CUSTOMERS, [organizationId, customers]);
  await client.query(RECORDS, [organizationId, customers, first.toISOString(), months]);
  await client.query('vacuum (analyze) customer, revenue_record');
}
