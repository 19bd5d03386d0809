/** Costs of one end user, in buckets of a length that the caller chooses. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { granularBuckets } from '#kernel/time/trend-buckets.ts';
import { parseWindow } from '#kernel/time/window.ts';
import type { Granularity } from '../resolvers.generated.ts';
import { checkSelection } from './check-selection.query.ts';
import { type CostTrendCell, cellPoints } from './cost-points.ts';
import { parseSelection } from './cost-selection.ts';
import { readSelectedTrend } from './selected-trend.query.ts';

/** Source object of the type `EndUserOverTime`. */
export interface EndUserOverTimeView {
  readonly externalId: string;
  readonly start: string;
  readonly end: string;
  readonly granularity: Granularity;
}

/** Fails with `VALIDATION_ERROR` for too many points, and with `NOT_FOUND` if no event has named the end user. */
export async function readEndUserPoints(
  context: SubgraphContext,
  { externalId, start, end, granularity }: EndUserOverTimeView,
): Promise<CostTrendCell[]> {
  const organizationId = organizationOf(context);
  const window = parseWindow({ start, end });
  const { unit, buckets } = granularBuckets(window, granularity);
  const selection = parseSelection({ filter: { endUser: externalId } });
  const cells = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    return readSelectedTrend(
      tx,
      { organizationId, window, selection, isHourly: unit === 'hour' },
      { unit, seriesMax: 1 },
    );
  });
  return cellPoints(buckets, cells);
}
