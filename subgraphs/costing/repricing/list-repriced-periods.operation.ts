/** Lists repriced periods, i.e. those whose past figures changed. */
import { canonicalInstant } from '#kernel/time/instant.ts';
import { parseWindow } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findRepricedPeriods, type RepricedPeriod } from './repricing.table.ts';

const PERIODS_MAX = 100;

/** Repriced periods of the caller's organization, latest first. */
export async function listRepricedPeriods(
  context: SubgraphContext,
  input: { readonly start: string; readonly end: string },
): Promise<RepricedPeriod[]> {
  const organizationId = organizationOf(context);
  const { start, end } = parseWindow(input);
  const window = { start: start.iso, end: end.iso };
  const periods = await context.database.find(organizationId, (tx) =>
    findRepricedPeriods(tx, organizationId, window, PERIODS_MAX),
  );
  return periods.map((period) => ({
    ...period,
    start: canonicalInstant(period.start),
    end: canonicalInstant(period.end),
  }));
}
