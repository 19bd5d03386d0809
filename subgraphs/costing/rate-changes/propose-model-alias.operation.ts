/** Previews how a model alias would change the waiting events, before it is set. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { RateProposal } from '../resolvers.generated.ts';
import { saveModelAlias } from '../rates/model-alias.table.ts';
import { parseModelAlias } from './parse-model-alias.ts';
import { tryRateChange } from './try-rate-change.step.ts';

interface ModelAliasDraft {
  readonly name: string;
  readonly provider?: string | null | undefined;
  readonly model: string;
}

/** Fails with `VALIDATION_ERROR`, as `modelAliasSet` does. */
export async function proposeModelAlias(context: SubgraphContext, input: ModelAliasDraft): Promise<RateProposal> {
  const { name, providerSlug, model } = parseModelAlias(input);
  return tryRateChange(context, (tx, organizationId, at) =>
    saveModelAlias(tx, organizationId, { name, providerSlug, model: model ?? input.model }, at),
  );
}
