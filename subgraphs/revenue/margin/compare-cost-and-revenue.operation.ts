/** `Window.margin`: what was earned in a span beside what it cost. */
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { addMonths } from '../../../kernel/time/calendar.ts';
import type { EndUserCostLines } from '../../../schema/end-user-cost-lines.ts';
import { fail } from '../../../schema/errors.ts';
import { amount } from '../../../kernel/money.ts';
import { readWindow } from '../../../kernel/time/read-window.ts';
import { type Transaction, query } from '../../../platform/database/sql.ts';
import { MARGIN_MONTHS_MAX } from '../config.ts';
import { isConnected } from '../connection/payment-connection.table.ts';
import { recognizedSql, touchesSql } from '../recognition/recognized-sql.ts';
import { compareMargin } from './compare-margin.ts';
import { marginWarnings } from './margin-warnings.ts';
import { type ShownMargin, showMargin } from './show-margin.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decisions.md D45). */
export async function compareCostAndRevenue(
  context: SubgraphContext,
  window: { start: string; end: string },
  costs: EndUserCostLines,
): Promise<ShownMargin> {
  const { start, end } = readWindow(window);
  if (addMonths(new Date(start.epochMs), MARGIN_MONTHS_MAX).getTime() < end.epochMs) {
    fail(
      'UNPROCESSABLE_ENTITY',
      `The range from start_date to end_date must not be longer than ${MARGIN_MONTHS_MAX} months`,
    );
  }
  const organizationId = organizationOf(context);
  const { customers, connected } = await context.database.read(organizationId, async (tx) => ({
    customers: await revenueByCustomer(tx, organizationId, { start: start.iso, end: end.iso }),
    connected: await isConnected(tx, organizationId),
  }));
  const margin = compareMargin(
    costs,
    customers.map((customer) => ({
      name: customer.name,
      externalId: customer.external_id,
      revenue: amount(customer.revenue),
      records: customer.records,
      starting: customer.starting,
    })),
  );
  return showMargin(margin, marginWarnings(margin, connected));
}

interface CustomerRevenue {
  /** Null for invoices without a customer. */
  customer_id: string | null;
  name: string | null;
  /** Whom a link or the metadata names. */
  external_id: string | null;
  /** Recognized in the window, USD. */
  revenue: string;
  /** Records of which the window recognizes something. */
  records: number;
  /** Raw sum of the records whose period starts in the window. */
  starting: string;
}

/**
 * The one aggregate statement of a margin: what the window recognizes, by customer.
 *
 * Every customer that stands for an end user, and whoever has revenue in the window. USD alone.
 */
async function revenueByCustomer(
  tx: Transaction,
  organizationId: string,
  window: { start: string; end: string },
): Promise<CustomerRevenue[]> {
  return query<CustomerRevenue>(
    tx,
    `with recognized as (
       select customer_id, sum(${recognizedSql('record', '$2::timestamptz', '$3::timestamptz')}) as revenue, sum(records) as records,
              coalesce(sum(amount) filter (where period_start >= $2), 0) as starting
       from revenue_record as record
       where organization_id = $1 and currency = 'usd' and ${touchesSql('record', '$2::timestamptz', '$3::timestamptz')}
       group by customer_id)
     select coalesce(customer.id, recognized.customer_id) as customer_id, name, coalesce(linked_external_id, metadata_external_id) as external_id,
            coalesce(revenue, 0)::text as revenue, coalesce(records, 0)::float8 as records, coalesce(starting, 0)::text as starting
     from (select * from customer where organization_id = $1) as customer full join recognized on recognized.customer_id = customer.id
     where recognized.revenue is not null or coalesce(linked_external_id, metadata_external_id) is not null
     order by customer_id`,
    [organizationId, window.start, window.end],
  );
}
