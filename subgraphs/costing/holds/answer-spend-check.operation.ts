/** Answers whether a call may spend its maximum cost, without reserving it. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { SpendDecision, SpendInput } from '../resolvers.generated.ts';
import { checkSpend } from './check-spend.step.ts';
import { parseSpend } from './parse-spend.ts';

/** Fails like `holdOpen`. */
export async function answerSpendCheck(context: SubgraphContext, input: SpendInput): Promise<SpendDecision> {
  return checkSpend(context, parseSpend(input));
}
