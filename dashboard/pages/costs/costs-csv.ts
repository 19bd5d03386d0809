/** `/costs.csv`: all groups of a view of `/costs`, with all digits. */
import type { FastifyReply } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type CostView, showsTokens } from '../../figures/cost-address.ts';
import { type CsvRow, sendCsv } from '../../http/send-csv.ts';
import { pagesOfGroups } from './costs-figures.ts';

export function sendCostsCsv(
  reply: FastifyReply,
  {
    gateway,
    principal,
    view,
  }: { readonly gateway: GatewayClient; readonly principal: Principal; readonly view: CostView },
): Promise<FastifyReply> {
  const { from, to } = view.window;
  const named = showsTokens(view) ? ['input_tokens', 'output_tokens', 'cached_tokens', 'cached_input_percent'] : [];
  const rows = async function* (): AsyncGenerator<readonly CsvRow[]> {
    for await (const { nodes } of pagesOfGroups(gateway, principal, view, view.window))
      yield nodes.map(({ values, totalCost, eventCount, tokens, cachedInput }) => [
        ...values.map(({ value }) => value),
        totalCost,
        eventCount,
        ...(tokens ? [tokens.input, tokens.output, tokens.cacheRead, cachedInput?.percent ?? null] : []),
      ]);
  };
  return sendCsv(reply, `costs-${from}-${to}`, [...view.groups, 'cost_usd', 'events', ...named], rows());
}
