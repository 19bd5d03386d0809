/**
 * States whether counts of a key, a source or a provider include cached tokens. Events that are priced from now on are exact by it; what is
 * booked stays until it is repriced.
 */
import { enumValue } from '../../../../kernel/enum-value.ts';
import { isUuid } from '../../../../kernel/uuid.ts';
import { now } from '../../../../platform/clock.ts';
import { actorOf } from '../../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../../schema/errors.ts';
import { recordAudit } from '../../audit-log/audit-record.table.ts';
import type { CachedTokensInput, CachedTokensRule as Rule } from '../../resolvers.generated.ts';
import { type CachedTokensRule, type CountsOf, providerSubject } from '../matching/cached-tokens-rule.ts';
import {
  deleteCachedTokensRule,
  listCachedTokensRules,
  saveCachedTokensRule,
} from '../matching/cached-tokens-rule.table.ts';
import { beginRateChange } from '../rate-generation.table.ts';

const RULES_MAX = 200;
const SUBJECT_CHARACTERS_MAX = 255;

/** Null: the rule was removed. Fails with `VALIDATION_ERROR`, and with `NOT_FOUND` for a removal of what does not exist. */
export async function setCachedTokens(context: SubgraphContext, input: CachedTokensInput): Promise<Rule | null> {
  const organizationId = organizationOf(context);
  const { countsOf, subject, cachedTokens } = parseCachedTokens(input);
  const at = now();
  await context.database.acrossOrganizations(async (em) => {
    await beginRateChange(em, organizationId, at);
    if (cachedTokens === null) {
      const existed = await deleteCachedTokensRule(em, organizationId, { countsOf, subject });
      if (!existed) fail('NOT_FOUND', `Nothing is stated about counts of ${subject}`);
    } else {
      const rules = await listCachedTokensRules(em, organizationId);
      if (rules.length >= RULES_MAX) fail('VALIDATION_ERROR', `There are ${RULES_MAX} statements already: remove one`);
      await saveCachedTokensRule(em, organizationId, { countsOf, subject, cachedTokens }, at);
    }
    await recordAudit(em, {
      organizationId,
      at,
      action: cachedTokens === null ? 'cached_tokens.removed' : 'cached_tokens.set',
      ...actorOf(context.principal),
      detail: `${countsOf} ${subject}${cachedTokens === null ? '' : `: cached tokens ${cachedTokens}`}`,
    });
  });
  return cachedTokens === null ? null : toCachedTokensView({ countsOf, subject, cachedTokens, changedAt: at });
}

/** Names as the table has them. */
export function parseCachedTokens({ countsOf, subject, cachedTokens }: CachedTokensInput): Omit<
  CachedTokensRule,
  'cachedTokens'
> & {
  readonly cachedTokens: CachedTokensRule['cachedTokens'] | null;
} {
  const kind = countsOf.toLowerCase() as CountsOf;
  const text = subject.trim();
  if (text === '' || text.length > SUBJECT_CHARACTERS_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `subject must have 1 to ${SUBJECT_CHARACTERS_MAX} characters`);
  if (kind === 'api_key' && !isUuid(text)) fail('VALIDATION_ERROR', 'subject must be the id of an API key');
  const named = kind === 'provider' ? (providerSubject(text) ?? text) : kind === 'api_key' ? text.toLowerCase() : text;
  const stated = cachedTokens === 'INCLUDED' ? 'included' : cachedTokens === 'EXCLUDED' ? 'excluded' : null;
  return { countsOf: kind, subject: named, cachedTokens: stated };
}

export function toCachedTokensView(rule: CachedTokensRule & { readonly changedAt: string | Date }): Rule {
  const { countsOf, subject, cachedTokens, changedAt } = rule;
  return {
    countsOf: enumValue(countsOf),
    subject,
    cachedTokens: enumValue(cachedTokens),
    changedAt: new Date(changedAt),
  };
}
