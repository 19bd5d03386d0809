/** Previews how a negotiated rate would change the waiting events, before it is set. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { RateProposal } from '../resolvers.generated.ts';
import { parseRateInput, type RateInput } from './parse-rate-input.ts';
import { tryRateChange } from './try-rate-change.step.ts';
import { writeRateCard } from './write-rate-card.step.ts';

/** Fails with `VALIDATION_ERROR`, like `rateSet`. */
export async function proposeRate(context: SubgraphContext, input: RateInput): Promise<RateProposal> {
  const draft = parseRateInput(input);
  return tryRateChange(context, (tx, organizationId, at) => writeRateCard(tx, organizationId, draft, at));
}
