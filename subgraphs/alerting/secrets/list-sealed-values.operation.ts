/** Lists alerting's encrypted values by key, for operators. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Sealing } from '#platform/seal.ts';
import { listSealedValues as list, type SealedValues } from '#platform/subgraph/reseal-values.ts';
import { SEALED_COLUMNS } from './sealed-columns.step.ts';

export function listSealedValues(context: SubgraphContext, sealing: Sealing): Promise<SealedValues[]> {
  return list(context, sealing, SEALED_COLUMNS);
}
