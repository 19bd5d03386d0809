/** `Window.costsByApiKey`: the ledger of a window by the key that sent the events. */
import { amount } from '../../../../kernel/money.ts';
import { cursorAt, type PageInput, parsePage } from '../../../../kernel/page-cursor.ts';
import { percent } from '../../../../kernel/percent.ts';
import type { Window } from '../../../../kernel/time/window.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { readLedgerByApiKey } from '../ledger-costs.query.ts';
import { readLedger } from '../read-ledger.step.ts';
import type { ApiKeyCostConnection } from '../../resolvers.generated.ts';

const KEYS_MAX = 1_000;

export async function listApiKeyCosts(
  context: SubgraphContext,
  window: Window,
  input: PageInput,
): Promise<ApiKeyCostConnection> {
  const { limit, offset } = parsePage(input, KEYS_MAX);
  const lines = await readLedger(context, window, null, readLedgerByApiKey);
  const costs = lines.map(({ totalCost }) => amount(totalCost));
  const totalCost = costs.reduce((total, cost) => total + cost, amount('0'));
  const edges = lines.slice(offset, offset + limit).map(({ apiKeyId, events }, index) => {
    const cost = costs[offset + index] ?? amount('0');
    const node = {
      apiKey: apiKeyId === null ? null : { id: apiKeyId },
      totalCost: cost,
      eventCount: events,
      percentOfTotal: percent(cost, totalCost) ?? 0,
    };
    return { cursor: cursorAt(offset + index + 1), node };
  });
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: offset + edges.length < lines.length,
      hasPreviousPage: offset > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: lines.length,
    totalCost,
  };
}
