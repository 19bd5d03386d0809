/**
 * Sets whether token counts of a key, source or provider include cached tokens. Events priced from now on use it;
 * booked costs stay until they are repriced.
 */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { CachedTokensSetInput, CachedTokensRule as Rule } from '../resolvers.generated.ts';
import { parseCachedTokens, toCachedTokensView } from '../rates/matching/parse-cached-tokens.ts';
import {
  deleteCachedTokensRule,
  listCachedTokensRules,
  saveCachedTokensRule,
} from '../rates/matching/cached-tokens-rule.table.ts';
import { beginRateChange } from '../rates/rate-generation.table.ts';

const RULES_MAX = 200;

/**
 * Returns null if the rule was removed. Fails with `VALIDATION_ERROR`, and with `NOT_FOUND` for the removal of a
 * missing rule.
 */
export async function setCachedTokens(context: SubgraphContext, input: CachedTokensSetInput): Promise<Rule | null> {
  const organizationId = organizationOf(context);
  const { countsOf, subject, cachedTokens } = parseCachedTokens(input);
  const at = now();
  await context.database.system(async (tx) => {
    await beginRateChange(tx, organizationId, at);
    if (cachedTokens === null) {
      const existed = await deleteCachedTokensRule(tx, organizationId, { countsOf, subject });
      if (!existed) fail('NOT_FOUND', `No choice has been made for counts of ${subject}`);
    } else {
      const others = (await listCachedTokensRules(tx, organizationId)).filter(
        (rule) => rule.countsOf !== countsOf || rule.subject !== subject,
      );
      if (others.length >= RULES_MAX)
        fail('VALIDATION_ERROR', `The limit of ${RULES_MAX} choices is reached: remove one first`);
      await saveCachedTokensRule(tx, organizationId, { countsOf, subject, cachedTokens }, at);
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: cachedTokens === null ? 'cached_tokens.removed' : 'cached_tokens.set',
      ...actorOf(context.principal),
      detail: `${countsOf} ${subject}${cachedTokens === null ? '' : `: cached tokens ${cachedTokens}`}`,
    });
  });
  return cachedTokens === null ? null : toCachedTokensView({ countsOf, subject, cachedTokens, changedAt: at });
}
