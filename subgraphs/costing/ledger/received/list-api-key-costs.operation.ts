/** `Window.costsByApiKey`: the ledger of a window by the API key that sent the events. */
import { amount } from '#kernel/money.ts';
import { type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { percent } from '#kernel/percent.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { readLedgerByApiKey } from '../ledger-costs.query.ts';
import { readLedger } from '../read-ledger.step.ts';
import type { ApiKeyCostConnection } from '../../resolvers.generated.ts';

const KEYS_MAX = 1_000;

export async function listApiKeyCosts(
  context: SubgraphContext,
  window: Window,
  input: PageInput,
): Promise<ApiKeyCostConnection> {
  const page = parsePage(input, KEYS_MAX);
  const lines = await readLedger(context, window, null, readLedgerByApiKey);
  const costs = lines.map((line) => ({ ...line, cost: amount(line.totalCost) }));
  const totalCost = costs.reduce((total, { cost }) => total + cost, 0n);
  const nodes = pageOf(costs, page).map(({ apiKeyId, events, cost }) => ({
    apiKey: apiKeyId === null ? null : { id: apiKeyId },
    totalCost: cost,
    eventCount: events,
    percentOfTotal: percent(cost, totalCost) ?? 0,
  }));
  return {
    ...toConnection(nodes, lines.length, page),
    totalCost,
  };
}
