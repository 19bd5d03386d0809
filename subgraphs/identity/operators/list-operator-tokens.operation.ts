/** Lists operator tokens for operators, without the tokens themselves. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { listOperators } from './operator.table.ts';
import { type OperatorTokenView, toOperatorToken } from './to-operator-token.ts';

export async function listOperatorTokens(context: SubgraphContext): Promise<OperatorTokenView[]> {
  return (await context.database.system(listOperators)).map(toOperatorToken);
}
