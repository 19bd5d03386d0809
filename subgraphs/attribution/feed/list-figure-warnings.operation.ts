/** What the figures of the caller's organization lack, or may lack for the moment: to be known before they are read. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { findComparison } from './feed-place.table.ts';
import { countOwnRefusals } from './refused-fact.table.ts';

export interface FigureWarning {
  readonly type: 'facts_set_aside' | 'comparing_with_ledger';
  readonly count: number;
  readonly message: string;
}

/** Of no window: what could not be taken has no time that could be trusted. */
export async function listFigureWarnings(context: SubgraphContext): Promise<FigureWarning[]> {
  const organizationId = organizationOf(context);
  const { refused, isCompared } = await context.database.read(organizationId, async (tx) => ({
    refused: await countOwnRefusals(tx, organizationId),
    isCompared: await findComparison(tx, organizationId),
  }));
  const warnings: FigureWarning[] = [];
  if (refused > 0)
    warnings.push({
      type: 'facts_set_aside',
      count: refused,
      message: `${refused} ${refused === 1 ? 'cost' : 'costs'} could not be attributed and ${refused === 1 ? 'is' : 'are'} in no breakdown, trend or margin. The ledger has ${refused === 1 ? 'it' : 'them'}.`,
    });
  if (isCompared)
    warnings.push({
      type: 'comparing_with_ledger',
      count: 1,
      message: 'Costs are being compared with the ledger: until that has ended, figures may lack some of them.',
    });
  return warnings;
}
