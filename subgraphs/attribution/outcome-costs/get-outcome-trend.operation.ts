/** Cost of outcomes over time. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Instant } from '#kernel/time/instant.ts';
import { granularBuckets } from '#kernel/time/trend-buckets.ts';
import type { Window } from '#kernel/time/window.ts';
import { hasOutcomes } from '../outcomes/outcome.table.ts';
import type { OutcomeFigures, WindowOutcomeTrendArgs } from '../resolvers.generated.ts';
import { NO_OUTCOMES, outcomeFigures } from './outcome-figures.ts';
import { checkSize } from './outcome-limits.query.ts';
import { readOutcomeBuckets } from './outcome-rows.query.ts';
import { parseOutcomeSelection } from './outcome-selection.ts';

interface OutcomePointView {
  readonly start: Instant;
  readonly figures: OutcomeFigures;
}

/** Every bucket, including empty ones. Fails with `VALIDATION_ERROR` if there would be too many points. */
export async function getOutcomeTrend(
  context: SubgraphContext,
  window: Window,
  { granularity, filter }: WindowOutcomeTrendArgs,
): Promise<OutcomePointView[]> {
  const organizationId = organizationOf(context);
  const { unit, buckets } = granularBuckets(window, granularity);
  const selection = parseOutcomeSelection({ filter });
  const rows = await context.database.snapshot(organizationId, async (tx) => {
    if (!(await hasOutcomes(tx, organizationId))) return [];
    const outcomes = { organizationId, window, selection };
    await checkSize(tx, outcomes);
    return readOutcomeBuckets(tx, outcomes, unit, buckets.length);
  });
  const byStart = new Map(rows.filter(({ isTotal }) => !isTotal).map((row) => [row.one, row]));
  return buckets.map(({ first }) => ({
    start: first,
    figures: outcomeFigures(byStart.get(first.iso) ?? NO_OUTCOMES),
  }));
}
