/** The organization's statements about token counts that do not say whether they include cached tokens. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { CachedTokensRule } from '#usage/counts/cached-tokens-rule.ts';

export const CachedTokensRuleTable = defineEntity({
  name: 'CachedTokensRule',
  tableName: 'cached_tokens_rule',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    countsOf: p.enum(['api_key', 'source', 'provider']).primary(),
    subject: p.text().primary(),
    cachedTokens: p.enum(['included', 'excluded']),
    changedAt: p.datetime(3),
  },
});

export interface ListedCachedTokensRule extends CachedTokensRule {
  readonly changedAt: string;
}

const LIST_RULES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<ListedCachedTokensRule>`
    select counts_of, subject, cached_tokens, changed_at::text from cached_tokens_rule
    where organization_id = ${organizationId} order by counts_of, subject`,
);

export function listCachedTokensRules(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<ListedCachedTokensRule[]> {
  return tx.all(LIST_RULES, { organizationId });
}

const SAVE_RULE = statement(
  (input: Parameters<CachedTokensRule & { organizationId: OrganizationId; at: Date }>) => sql<object>`
    insert into cached_tokens_rule (organization_id, counts_of, subject, cached_tokens, changed_at)
    values (${input.organizationId}, ${input.countsOf}, ${input.subject}, ${input.cachedTokens}, ${input.at})
    on conflict (organization_id, counts_of, subject) do update
      set cached_tokens = excluded.cached_tokens, changed_at = excluded.changed_at`,
);

export async function saveCachedTokensRule(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { countsOf, subject, cachedTokens }: CachedTokensRule,
  at: Date,
): Promise<void> {
  await tx.run(SAVE_RULE, { organizationId, countsOf, subject, cachedTokens, at });
}

const DELETE_RULE = statement(
  (input: Parameters<Omit<CachedTokensRule, 'cachedTokens'> & { organizationId: OrganizationId }>) => sql<
    Pick<CachedTokensRule, 'cachedTokens'>
  >`
    delete from cached_tokens_rule where organization_id = ${input.organizationId} and counts_of = ${input.countsOf}
      and subject = ${input.subject} returning cached_tokens`,
);

/** Returns true if the rule existed. */
export async function deleteCachedTokensRule(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { countsOf, subject }: Omit<CachedTokensRule, 'cachedTokens'>,
): Promise<boolean> {
  return (await tx.all(DELETE_RULE, { organizationId, countsOf, subject })).length > 0;
}
