/** Lists the exchange rates that invoices were converted with. */
import { enumValue } from '#kernel/enum-value.ts';
import { plainText } from '#kernel/money.ts';
import { checkFirst, connectionOfEdges, keysetCursor, type PageInput, parseKeyset } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import type { InvoiceRateConnection } from '../resolvers.generated.ts';
import { listInvoiceRates as listRates } from './invoice-rate.table.ts';

const PAGE_MAX = 200;

interface RateSelection extends PageInput {
  readonly invoiceId?: string | null | undefined;
}

/** Fails with `VALIDATION_ERROR` for an invalid page. */
export async function listInvoiceRates(
  context: SubgraphContext,
  { invoiceId = null, first, after }: RateSelection,
): Promise<InvoiceRateConnection> {
  checkFirst(first, PAGE_MAX);
  const isFirst = after === undefined || after === null;
  const [afterInvoice = '', afterTo = '', afterFrom = '', ...more] = isFirst ? [] : parseKeyset(after);
  if (!isFirst && (afterFrom === '' || more.length > 0))
    fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  const organizationId = organizationOf(context);
  const found = await context.database.find(organizationId, (tx) =>
    listRates(tx, { organizationId, invoiceId, afterInvoice, afterTo, afterFrom, limit: first + 1 }),
  );
  const edges = found.slice(0, first).map(({ fromCurrency: from, toCurrency: to, ...row }) => ({
    cursor: keysetCursor([row.invoiceId, to, from]),
    node: {
      invoiceId: row.invoiceId,
      amount: { amount: plainText(row.amount), currency: from },
      converted: { amount: plainText(row.converted), currency: to },
      rate: row.rate,
      rateDay: row.rateDay,
      rateSource: enumValue(row.source),
    },
  }));
  return connectionOfEdges(edges, { hasNextPage: found.length > first, hasPreviousPage: !isFirst });
}
