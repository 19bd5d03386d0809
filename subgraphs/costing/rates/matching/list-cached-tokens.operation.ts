/** Lists the organization's statements about counts that do not say whether they include cached tokens. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { CachedTokensRule } from '../../resolvers.generated.ts';
import { listCachedTokensRules } from './cached-tokens-rule.table.ts';
import { toCachedTokensView } from './parse-cached-tokens.ts';

export async function listCachedTokens(context: SubgraphContext): Promise<CachedTokensRule[]> {
  const organizationId = organizationOf(context);
  const rules = await context.database.snapshot(organizationId, (tx) => listCachedTokensRules(tx, organizationId));
  return rules.map(toCachedTokensView);
}
