/** The tokens of operators, for operators: never the tokens themselves. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { listOperators } from '../data/operator.ts';
import { type OperatorTokenView, toOperatorToken } from '../rules/to-operator-token.ts';

export async function listOperatorTokens(context: SubgraphContext): Promise<OperatorTokenView[]> {
  return (await context.database.acrossOrganizations(listOperators)).map(toOperatorToken);
}
