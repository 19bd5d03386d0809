/** Single outcomes of a window, newest first, with their costs. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { OUTCOMES_PER_PAGE_MAX } from '../config.ts';
import type { OutcomeRecordFilter } from '../resolvers.generated.ts';
import { readOutcomeCosts } from './outcome-rows.query.ts';
import { type OutcomeAttemptView, outcomeView } from './outcome-view.ts';
import { readOutcomePage } from './stated-outcomes.query.ts';

/** Each outcome has its whole cost, including the cost of events before the window. */
export function listOutcomes(
  context: SubgraphContext,
  window: Window,
  { filter, ...paging }: PageInput & { readonly filter?: OutcomeRecordFilter | null | undefined },
): Promise<Connection<OutcomeAttemptView>> {
  const organizationId = organizationOf(context);
  const page = parsePage(paging, OUTCOMES_PER_PAGE_MAX);
  return context.database.snapshot(organizationId, async (tx) => {
    const { rows, totalCount } = await readOutcomePage(
      tx,
      organizationId,
      {
        window,
        names: filter?.names ?? null,
        endUser: filter?.endUser ?? null,
        agent: filter?.agent ?? null,
        succeeded: filter?.succeeded ?? null,
      },
      page,
    );
    const keys = rows.map(({ key }) => key);
    const costs = await readOutcomeCosts(tx, organizationId, keys);
    return toConnection(
      rows.map((row) => outcomeView(row, costs.get(row.key))),
      totalCount,
      page,
    );
  });
}
