/** `EndUserOverTime.costs`: costs of an end user, bucket by bucket. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { CostTrendCell } from './cost-points.ts';
import { type EndUserOverTimeView, readEndUserPoints } from './end-user-points.step.ts';

/** Fails with `VALIDATION_ERROR` for too many points, and with `NOT_FOUND` if no event has named the end user. */
export function getEndUserOverTime(context: SubgraphContext, view: EndUserOverTimeView): Promise<CostTrendCell[]> {
  return readEndUserPoints(context, view);
}
