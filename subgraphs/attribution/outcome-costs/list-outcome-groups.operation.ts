/** Outcomes of a window by group, with their costs, including those of failed attempts. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { amount } from '#kernel/money.ts';
import { type Connection, type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { OUTCOME_GROUPS_PER_PAGE_MAX } from '../config.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import type { OutcomeFigures } from '../resolvers.generated.ts';
import { checkSize, readWindowCost } from './outcome-limits.query.ts';
import { NO_OUTCOMES, outcomeFigures } from './outcome-figures.ts';
import { type OutcomeGroupRow, readOutcomeGroups } from './outcome-rows.query.ts';
import { type OutcomeSelectionInput, parseOutcomeSelection } from './outcome-selection.ts';
import { hasOutcomes } from '../outcomes/outcome.table.ts';

interface OutcomeGroupView {
  readonly key: string;
  readonly value: string;
  readonly endUser: { readonly externalId: string } | null;
  readonly agent: { readonly agentId: string } | null;
  readonly figures: OutcomeFigures;
}

interface OutcomeGroupsView extends Connection<OutcomeGroupView> {
  readonly total: OutcomeFigures;
  readonly costWithoutOutcome: bigint;
}

/** Fails with `UNPROCESSABLE_ENTITY` if the window has too many events or outcomes. */
export async function listOutcomeGroups(
  context: SubgraphContext,
  window: Window,
  input: OutcomeSelectionInput & PageInput,
): Promise<OutcomeGroupsView> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, OUTCOME_GROUPS_PER_PAGE_MAX);
  const selection = parseOutcomeSelection(input);
  return context.database.snapshot(organizationId, async (tx) => {
    if (!(await hasOutcomes(tx, organizationId))) {
      const cost = await readWindowCost(tx, organizationId, window);
      return { ...toConnection([], 0, page), total: outcomeFigures(NO_OUTCOMES), costWithoutOutcome: amount(cost) };
    }
    const outcomes = { organizationId, window, selection };
    await checkSize(tx, outcomes);
    const rows = await readOutcomeGroups(tx, outcomes, page);
    const total = rows.find(({ isTotal }) => isTotal)!;
    const { group } = selection;
    const toView = (row: OutcomeGroupRow, key: string): OutcomeGroupView => {
      const value = row.one ?? UNASSIGNED;
      const isNamed = value !== UNASSIGNED;
      return {
        key,
        value,
        endUser: isNamed && input.groupBy === 'END_USER' ? { externalId: value } : null,
        agent: isNamed && input.groupBy === 'AGENT' ? { agentId: value } : null,
        figures: outcomeFigures(row),
      };
    };
    const nodes = group === null ? [] : rows.filter(({ isTotal }) => !isTotal).map((row) => toView(row, group.key));
    return {
      ...toConnection(nodes, group === null ? 0 : Number(total.groups), page),
      total: outcomeFigures(total),
      costWithoutOutcome: amount(total.costWithout),
    };
  });
}
