/** Costs over time with a filter, by the values of a key, in buckets of a length that the caller chooses. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { granularBuckets } from '#kernel/time/trend-buckets.ts';
import type { Window } from '#kernel/time/window.ts';
import { TREND_SERIES_MAX } from '../config.ts';
import { checkSelection, checkValues } from './check-selection.query.ts';
import { parseSelection } from './cost-selection.ts';
import { type CostGroupValueView, readGroupNames } from './group-names.query.ts';
import type { CostTrend, CostTrendSeries, WindowCostTrendArgs } from '../resolvers.generated.ts';
import { cellPoints } from './cost-points.ts';
import { readSelectedTrend } from './selected-trend.query.ts';

/** The schema gives the number of lines a default. */
type CostTrendInput = WindowCostTrendArgs & { readonly series: number };

type CostTrendSeriesView = Omit<CostTrendSeries, 'value'> & { readonly value: CostGroupValueView | null };

interface CostTrendView extends Omit<CostTrend, 'series'> {
  readonly series: CostTrendSeriesView[];
}

/**
 * Fails with `VALIDATION_ERROR` if a line has too many points, and with `NOT_FOUND` for an unknown dimension, value or
 * end user. Fails with `UNPROCESSABLE_ENTITY` if the costs need too many facts because no rollup has them.
 */
export async function getCostTrend(
  context: SubgraphContext,
  window: Window,
  { granularity, filter, by, byDimension, series: seriesMax }: CostTrendInput,
): Promise<CostTrendView> {
  const organizationId = organizationOf(context);
  const { unit, buckets } = granularBuckets(window, granularity);
  if (seriesMax < 1 || seriesMax > TREND_SERIES_MAX)
    fail('VALIDATION_ERROR', `series must be from 1 to ${TREND_SERIES_MAX}`);
  if (by && typeof byDimension === 'string') fail('VALIDATION_ERROR', 'Give either by or byDimension, not both');
  const selection = parseSelection({
    filter,
    keys: by ? [by] : [],
    dimensions: typeof byDimension === 'string' ? [byDimension] : [],
  });
  const { cells, names } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection);
    const input = { organizationId, window, selection, isHourly: unit === 'hour' };
    const read = await readSelectedTrend(tx, input, { unit, seriesMax });
    if (read.length === 0) await checkValues(tx, organizationId, selection);
    const groups = read.map(({ value }) => [value]);
    return { cells: read, names: await readGroupNames(tx, organizationId, selection.groups, groups) };
  });
  const lines = [...Map.groupBy(cells, ({ place }) => place)].map(([place, ofPlace]): CostTrendSeriesView => ({
    isRest: place === null,
    value: place === null ? null : (names([ofPlace[0]?.value ?? null])[0] ?? null),
    points: cellPoints(buckets, ofPlace),
  }));
  const isTotal = selection.groups.length === 0;
  return {
    granularity,
    series: isTotal ? [{ isRest: false, value: null, points: cellPoints(buckets, cells) }] : lines,
  };
}
