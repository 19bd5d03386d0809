/** `Window.ledgerCostsByEndUser`: the ledger of a window by end user, as of an instant. */
import { money, plain, sum } from '#kernel/money.ts';
import { checkFirst } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { LedgerEndUserCosts } from '../resolvers.generated.ts';
import { readLedgerByEndUser } from './ledger-costs.query.ts';
import { readLedger } from './read-ledger.step.ts';

const FIRST_MAX = 1_000;

export async function getLedgerCostsByEndUser(
  context: SubgraphContext,
  window: Window,
  { asOf, first }: { readonly asOf?: string | null | undefined; readonly first: number },
): Promise<LedgerEndUserCosts> {
  checkFirst(first, FIRST_MAX);
  const lines = await readLedger(context, window, asOf ?? null, readLedgerByEndUser);
  const all = lines.map(({ externalId, totalCost, events }) => ({
    externalId,
    totalCost: plain(money(totalCost)),
    eventCount: events,
  }));
  const endUsers = all.filter(({ externalId }) => externalId !== null);
  return {
    items: endUsers.slice(0, first),
    unassigned: all.find(({ externalId }) => externalId === null) ?? {
      externalId: null,
      totalCost: '0',
      eventCount: 0,
    },
    totalCost: plain(sum(all.map(({ totalCost }) => money(totalCost)))),
    totalEndUsers: endUsers.length,
  };
}
