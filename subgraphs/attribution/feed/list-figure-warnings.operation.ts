/** Warns that figures of the caller's organization are incomplete, or may be for the moment. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import type { Window } from '#kernel/time/window.ts';
import { findComparison } from './feed-offset.table.ts';
import { countOwnRefusals } from './refused-fact.table.ts';

export interface FigureWarning {
  readonly type: 'facts_set_aside' | 'comparing_with_ledger' | 'window_ends_in_future';
  readonly count: number;
  readonly message: string;
}

/** Facts that were set aside are reported for every window, because their times cannot be trusted. */
export async function listFigureWarnings(context: SubgraphContext, { end }: Window): Promise<FigureWarning[]> {
  const organizationId = organizationOf(context);
  const { refused, isCompared } = await context.database.snapshot(organizationId, async (tx) => ({
    refused: await countOwnRefusals(tx, organizationId),
    isCompared: await findComparison(tx, organizationId),
  }));
  const warnings: FigureWarning[] = [];
  if (refused > 0)
    warnings.push({
      type: 'facts_set_aside',
      count: refused,
      message: `${refused} ${refused === 1 ? 'cost' : 'costs'} could not be attributed and ${refused === 1 ? 'is' : 'are'} missing from breakdowns, trends and margins. The ledger contains ${refused === 1 ? 'it' : 'them'}.`,
    });
  if (isCompared)
    warnings.push({
      type: 'comparing_with_ledger',
      count: 1,
      message: 'Costs are being compared with the ledger. Until that finishes, some may be missing from the figures.',
    });
  if (end.epochMs > requestedAt(context).getTime())
    warnings.push({
      type: 'window_ends_in_future',
      count: 1,
      message: `The window ends in the future, at ${end.iso}: it contains the costs so far.`,
    });
  return warnings;
}
