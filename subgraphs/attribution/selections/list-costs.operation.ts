/** Costs with a filter and grouping, a page at a time. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type DocumentInfo, selectsField } from '#platform/subgraph/selects-field.ts';
import { amount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { type PageInput, parsePage, toConnection } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { COST_GROUPS_PER_PAGE_MAX } from '../config.ts';
import { checkSelection, checkValues } from './check-selection.query.ts';
import { parseSelection, type SelectionInput } from './cost-selection.ts';
import { type CostGroupValueView, readGroupNames } from './group-names.query.ts';
import { type CachedInputRow, readCachedInput } from './cached-input.query.ts';
import type { CachedInput, CostConnection, CostGroup, GroupTokens } from '../resolvers.generated.ts';
import { readSelectedCosts, type SelectedCostRow } from './selected-costs.query.ts';

const PERCENT = 100;

type CostGroupView = Omit<CostGroup, 'values'> & { readonly values: CostGroupValueView[] };

interface CostConnectionView extends Omit<CostConnection, 'nodes' | 'edges'> {
  readonly nodes: CostGroupView[];
  readonly edges: { readonly cursor: string; readonly node: CostGroupView }[];
}

/**
 * Fails with `NOT_FOUND` for an unknown dimension, value or end user, and with `UNPROCESSABLE_ENTITY` if the costs
 * need too many facts because no rollup has them.
 */
export async function listCosts(
  context: SubgraphContext,
  window: Window,
  input: SelectionInput & PageInput,
  info: DocumentInfo,
): Promise<CostConnectionView> {
  const organizationId = organizationOf(context);
  const page = parsePage(input, COST_GROUPS_PER_PAGE_MAX);
  const selection = parseSelection(input);
  // Tokens are read only if requested.
  const withTokens = selectsField(info, 'tokens', ['nodes', 'edges', 'node']);
  const withCached = selectsField(info, 'cachedInput', ['nodes', 'edges', 'node']);
  const { rows, names, cached } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    const selected = { organizationId, window, selection, isHourly: false };
    const read = await readSelectedCosts(tx, selected, page, withTokens);
    if (read[0]?.populationGroups === '0') await checkValues(tx, organizationId, selection);
    const groups = read.map(({ one, other }) => [one, other]);
    return {
      rows: read,
      names: await readGroupNames(tx, organizationId, selection.groups, groups),
      cached: withCached ? await readCachedInput(tx, selected, groups) : [],
    };
  });
  const [population] = rows;
  const cachedOf = new Map(cached.flatMap((row) => (row.isTotal ? [] : [[keyOf(row), row]])));
  const cachedTotal = cached.find(({ isTotal }) => isTotal);
  const totalCost = amount(population?.populationCost ?? '0');
  const totalCount = Number(population?.populationGroups ?? 0);
  const nodes = rows.flatMap((row): CostGroupView[] => {
    if (row.totalCost === null) return [];
    const cost = amount(row.totalCost);
    return [
      {
        values: names([row.one, row.other]),
        totalCost: cost,
        eventCount: Number(row.eventCount),
        percentOfTotal: percent(cost, totalCost) ?? 0,
        tokens: toGroupTokens(row),
        cachedInput: toCachedInput(cachedOf.get(keyOf(row))),
      },
    ];
  });
  return {
    ...toConnection(nodes, totalCount, page),
    totalCost,
    eventCount: Number(population?.populationEvents ?? 0),
    cachedInput: toCachedInput(cachedTotal),
  };
}

function keyOf({ one, other }: Pick<SelectedCostRow, 'one' | 'other'>): string {
  return JSON.stringify([one, other]);
}

function toCachedInput(row: CachedInputRow | undefined): CachedInput | null {
  if (row === undefined) return null;
  const [input, cached] = [Number(row.input), Number(row.cached)];
  return { input, cached, percent: (cached / input) * PERCENT };
}

/**
 * If tokens are read, every group has the two counts that every event reports. Otherwise the document does not select
 * the field.
 */
function toGroupTokens(row: SelectedCostRow): GroupTokens {
  const count = (text: string | null | undefined) => (text === null || text === undefined ? null : Number(text));
  return {
    input: count(row.inputTokens) as number,
    output: count(row.outputTokens) as number,
    cacheCreation: count(row.cacheCreationInputTokens),
    cacheRead: count(row.cacheReadInputTokens),
    reasoning: count(row.reasoningTokens),
  };
}
