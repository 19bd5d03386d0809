/** `/customers.csv`: all customers of a view of `/customers`, with all digits. */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import type { WindowChoice } from '../../figures/window-choice.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';

const CUSTOMERS =
  graphql(`query CustomersCsv($start: Instant!, $end: Instant!, $filter: MarginFilter, $orderBy: MarginOrder!, $first: Int!, $after: String) {
  window(start: $start, end: $end) { margin { endUsers(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes { endUserName endUser { externalId } revenue cost marginAmount marginPercent profitability }
    pageInfo { hasNextPage endCursor }
  } } }
}`);
const UNLINKED = graphql(`query UnlinkedCustomersCsv($start: Instant!, $end: Instant!, $first: Int!, $after: String) {
  window(start: $start, end: $end) { margin { unmatchedCustomers(first: $first, after: $after) {
    nodes { customerId name externalId revenue } pageInfo { hasNextPage endCursor }
  } } }
}`);

/** The margin of a window is recomputed for every page, so a few large pages are much faster. */
const PAGE = 5_000;

interface CsvContext {
  readonly gateway: GatewayClient;
  readonly principal: Principal;
  readonly window: WindowChoice;
}

export function sendCustomersCsv(
  reply: FastifyReply,
  { gateway, principal, window }: CsvContext,
  selection: Pick<VariablesOf<'CustomersCsv'>, 'filter' | 'orderBy'>,
): Promise<FastifyReply> {
  const { start, end, from, to } = window;
  const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
    for (let after: string | null = null, isLast = false; !isLast;) {
      const variables: VariablesOf<'CustomersCsv'> = { start, end, ...selection, first: PAGE, after };
      const data: DataOf<'CustomersCsv'> = await askGateway(gateway, CUSTOMERS, variables, principal);
      const { nodes, pageInfo } = data.window.margin.endUsers;
      yield nodes.map((node) => [
        node.endUser.externalId,
        node.endUserName,
        node.revenue,
        node.cost,
        node.marginAmount,
        node.marginPercent,
        enumText(node.profitability),
      ]);
      after = pageInfo.endCursor;
      isLast = !pageInfo.hasNextPage;
    }
  };
  const header = ['customer', 'name', 'revenue_usd', 'cost_usd', 'margin_usd', 'margin_percent', 'verdict'];
  return sendCsv(reply, `customers-${from}-${to}`, header, rows());
}

/** Customers of the payment processor that are linked to no end user. */
export function sendUnlinkedCsv(
  reply: FastifyReply,
  { gateway, principal, window }: CsvContext,
): Promise<FastifyReply> {
  const { start, end, from, to } = window;
  const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
    for (let after: string | null = null, isLast = false; !isLast;) {
      const variables: VariablesOf<'UnlinkedCustomersCsv'> = { start, end, first: PAGE, after };
      const data: DataOf<'UnlinkedCustomersCsv'> = await askGateway(gateway, UNLINKED, variables, principal);
      const { nodes, pageInfo } = data.window.margin.unmatchedCustomers;
      yield nodes.map(({ customerId, name, externalId, revenue }) => [customerId, name, externalId, revenue]);
      after = pageInfo.endCursor;
      isLast = !pageInfo.hasNextPage;
    }
  };
  return sendCsv(reply, `unlinked-${from}-${to}`, ['processor_id', 'name', 'linked_to', 'revenue_usd'], rows());
}
