/** Costs that are filtered and grouped as the caller likes, a page at a time. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { amount } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';
import { cursorAt, type PageInput, parsePage } from '../../../kernel/page-cursor.ts';
import type { Window } from '../../../kernel/time/window.ts';
import { COST_GROUPS_PER_PAGE_MAX } from '../config.ts';
import { checkSelection, checkValues } from './check-selection.query.ts';
import { parseSelection, type SelectionInput } from './cost-selection.ts';
import { type CostGroupValueView, readGroupNames } from './group-names.query.ts';
import type { CostConnection, CostGroup } from '../resolvers.generated.ts';
import { readSelectedCosts } from './selected-costs.query.ts';

type CostGroupView = Omit<CostGroup, 'values'> & { readonly values: CostGroupValueView[] };

interface CostConnectionView extends Omit<CostConnection, 'nodes' | 'edges'> {
  readonly nodes: CostGroupView[];
  readonly edges: { readonly cursor: string; readonly node: CostGroupView }[];
}

/**
 * Fails with `NOT_FOUND` for a dimension, a value or an end user that does not exist, and with `UNPROCESSABLE_ENTITY` where no rollup
 * answers and there are too many facts.
 */
export async function listCosts(
  context: SubgraphContext,
  window: Window,
  input: SelectionInput & PageInput,
): Promise<CostConnectionView> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, COST_GROUPS_PER_PAGE_MAX);
  const selection = parseSelection(input);
  const { rows, names } = await context.database.read(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    const read = await readSelectedCosts(tx, { organizationId, window, selection, isHourly: false }, page);
    if (read[0]?.populationGroups === '0') await checkValues(tx, organizationId, selection);
    const groups = read.map(({ one, other }) => [one, other]);
    return { rows: read, names: await readGroupNames(tx, organizationId, selection.groups, groups) };
  });
  const [population] = rows;
  const totalCost = amount(population?.populationCost ?? '0');
  const totalCount = Number(population?.populationGroups ?? 0);
  const edges = rows.flatMap((row, index) => {
    if (row.totalCost === null) return [];
    const cost = amount(row.totalCost);
    const node = {
      values: names([row.one, row.other]),
      totalCost: cost,
      eventCount: Number(row.eventCount),
      percentOfTotal: percent(cost, totalCost) ?? 0,
    };
    return [{ cursor: cursorAt(page.offset + index + 1), node }];
  });
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: page.offset + edges.length < totalCount,
      hasPreviousPage: page.offset > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
    totalCost,
    eventCount: Number(population?.populationEvents ?? 0),
  };
}
