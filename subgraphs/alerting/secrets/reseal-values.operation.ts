/** Re-encrypts alerting's values with the current key, in one bounded step. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { type ResealPage, type ResealStep, resealValues as reseal } from '#platform/subgraph/reseal-values.ts';
import { SEALED_COLUMNS } from './sealed-columns.step.ts';

export function resealValues(context: SubgraphContext, sealing: Sealing, page: ResealPage): Promise<ResealStep> {
  return reseal(context, sealing, SEALED_COLUMNS, page);
}
