/** Change of costs between two windows: by group, by cause, and with its main cause. */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount } from '#kernel/money.ts';
import { checkFirst } from '#kernel/page-cursor.ts';
import { percent } from '#kernel/percent.ts';
import { comparedWindow } from '#kernel/time/compared-window.ts';
import { compareInstants } from '#kernel/time/instant.ts';
import { parseWindow, type Window, windowSoFar } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type DocumentInfo, selectsField } from '#platform/subgraph/selects-field.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { fail } from '#kernel/errors.ts';
import { COMPARED_GROUPS_MAX, COST_GROUPS_PER_PAGE_MAX } from '../config.ts';
import type {
  CostChange,
  CostChangeCause,
  CostChangeGroup,
  CostComparison,
  CostFilter,
  CostKey,
} from '../resolvers.generated.ts';
import { checkSelection, checkValues } from './check-selection.query.ts';
import { compareGroups, type GroupCost, sumDifferences } from './cost-change.ts';
import { type CostSelection, END_USER_KEY, parseSelection } from './cost-selection.ts';
import { type CostGroupValueView, readGroupNames } from './group-names.query.ts';
import { type ExplainedChange, explainSelection } from './explained-change.query.ts';
import { findMainCause, type MainCause } from './main-cause.step.ts';
import { rememberedExplanations } from './remembered-explanation.step.ts';
import { readSelectedCosts } from './selected-costs.query.ts';

const rememberedCause = rememberedExplanations<MainCause | null>();
const rememberedParts = rememberedExplanations<ExplainedChange>();

interface CostChangeInput {
  readonly against: CostComparison;
  readonly filter?: CostFilter | null | undefined;
  readonly groupBy: CostKey;
  readonly groupByDimension?: string | null | undefined;
  readonly first: number;
}

interface CostChangeView extends Omit<CostChange, 'groups' | 'mainCause'> {
  readonly mainCause: (Omit<CostChangeCause, 'endUser'> & Pick<CostGroupValueView, 'endUser'>) | null;
  readonly groups: (Omit<CostChangeGroup, 'value'> & { readonly value: CostGroupValueView })[];
}

/**
 * A window that ends in the future is compared only up to now. Fails as `listCosts` does, and with
 * `UNPROCESSABLE_ENTITY` for too many groups.
 */
export async function compareCosts(
  context: SubgraphContext,
  requested: Window,
  { against, filter, groupBy, groupByDimension, first }: CostChangeInput,
  info: DocumentInfo,
): Promise<CostChangeView> {
  const organizationId = organizationOf(context);
  checkFirst(first, COST_GROUPS_PER_PAGE_MAX);
  const window = windowSoFar(requested, requestedAt(context));
  if (compareInstants(window.start, window.end) >= 0) fail('VALIDATION_ERROR', 'The window has not started yet');
  const previous = againstWindow(window, against);
  const isByDimension = typeof groupByDimension === 'string';
  const selection = parseSelection({
    filter,
    keys: isByDimension ? [] : [groupBy],
    dimensions: isByDimension ? [groupByDimension] : [],
  });
  const compared = { organizationId, window, previous, selection: { ...selection, groups: [] } };
  const { changes, total, names, explained, cause } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    const [before, after] = [
      await readGroups(tx, organizationId, previous, selection),
      await readGroups(tx, organizationId, window, selection),
    ];
    if (before.length + after.length === 0) await checkValues(tx, organizationId, selection);
    const divided = compareGroups(before, after);
    const sum = sumDifferences(divided);
    const shown = divided.slice(0, first).map(({ value }) => [value]);
    const subject = { ...compared, total: sum };
    const main = selectsField(info, 'mainCause')
      ? await rememberedCause(subject, () => findMainCause(tx, compared, sum.difference))
      : null;
    const causes = [{ key: END_USER_KEY, isEndUser: true }];
    const [endUser] = (await readGroupNames(tx, organizationId, causes, [[main?.endUserId ?? null]]))([
      main?.endUserId ?? null,
    ]);
    return {
      changes: divided,
      total: sum,
      names: await readGroupNames(tx, organizationId, selection.groups, shown),
      explained: selectsField(info, 'parts')
        ? await rememberedParts(subject, () => explainSelection(tx, compared))
        : NOT_READ,
      cause: main === null ? null : { ...main, endUser: endUser?.endUser ?? null },
    };
  });
  return {
    start: window.start.iso,
    end: window.end.iso,
    previousStart: previous.start.iso,
    previousEnd: previous.end.iso,
    total,
    percent: percent(total.difference, total.previousCost),
    groups: changes.slice(0, first).map(({ value, ...parts }) => ({
      change: parts,
      value: names([value])[0]!,
      isNew: parts.previousEventCount === 0 && parts.previousCost === 0n,
      isGone: parts.eventCount === 0 && parts.cost === 0n,
    })),
    rest: sumDifferences(changes.slice(first)),
    parts: explained,
    mainCause: cause,
    totalGroups: changes.length,
  };
}

const NOT_READ = { calls: 0n, mix: 0n, size: 0n, price: 0n, corrections: 0n };

function againstWindow(window: Window, { period, start, end }: CostComparison): Window {
  const isBetween = (start ?? null) !== null || (end ?? null) !== null;
  if (isBetween === ((period ?? null) !== null)) fail('VALIDATION_ERROR', 'against must be a period, or start and end');
  if (period) return comparedWindow(window, period);
  return parseWindow({ start: start ?? undefined, end: end ?? undefined }, { names: { start: 'start', end: 'end' } });
}

async function readGroups(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  selection: CostSelection,
): Promise<GroupCost[]> {
  const page = { limit: COMPARED_GROUPS_MAX + 1, offset: 0 };
  const rows = await readSelectedCosts(tx, { organizationId, window, selection, isHourly: false }, page);
  if (rows.length > COMPARED_GROUPS_MAX)
    fail(
      'UNPROCESSABLE_ENTITY',
      `At most ${COMPARED_GROUPS_MAX} groups can be compared at once: group by another key, or add a filter`,
    );
  return rows.flatMap(({ one, totalCost, eventCount }) =>
    totalCost === null ? [] : [{ value: one, cost: amount(totalCost), eventCount: Number(eventCount) }],
  );
}
