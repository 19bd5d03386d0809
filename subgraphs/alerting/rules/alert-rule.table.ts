/** Alert rules, including budgets: what is watched, and who is notified. A deleted rule stays for its episodes. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { RuleParameters, RuleScope } from './rule-parameters.ts';
import type { AlertKind } from '../resolvers.generated.ts';

export const AlertRuleTable = defineEntity({
  name: 'AlertRule',
  tableName: 'alert_rule',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** A built-in rule has the same id in every organization. */
    id: p.uuid().primary(),
    kind: p.text().$type<AlertKind>(),
    name: p.text(),
    /** Parameters of the kind, validated when saved. */
    parameters: p.json<RuleParameters>(),
    /** The scope required to read its figures and episodes. */
    scope: p.text().$type<RuleScope>(),
    channelIds: p.array(),
    isBuiltIn: p.boolean(),
    muted: p.boolean(),
    /** Time until which the rule is muted, even if `muted` is false. */
    mutedUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** Null for a built-in rule, and for a rule created by an operator. */
    createdBy: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});

type Row = InferEntity<typeof AlertRuleTable>;

/** A rule as stored in the database. */
export type AlertRuleRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** Rules in use, ordered by creation time. */
export async function listRules(tx: WriteTransaction, organizationId: OrganizationId): Promise<AlertRuleRow[]> {
  const orderBy = { createdAt: 'asc', id: 'asc' } as const;
  return (await tx.em.find(
    AlertRuleTable,
    { organizationId, deletedAt: null },
    { orderBy, disableIdentityMap: true },
  )) as AlertRuleRow[];
}

/** Rules of all these organizations, including deleted ones. */
export async function listRulesOf(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<AlertRuleRow[]> {
  return (await tx.em.find(
    AlertRuleTable,
    { organizationId: { $in: [...organizationIds] } },
    { disableIdentityMap: true },
  )) as AlertRuleRow[];
}

const SAVE_RULE = statement(
  (input: Parameters<AlertRuleText>) =>
    sql<object>`insert into alert_rule (organization_id, id, kind, name, parameters, scope, channel_ids, is_built_in, muted,
       muted_until, created_at, updated_at, created_by, deleted_at)
     values (${input.organizationId}, ${input.id}, ${input.kind}, ${input.name}, ${input.parameters}::text::jsonb, ${input.scope},
       ${input.channelIds}, ${input.isBuiltIn}, ${input.muted}, ${input.mutedUntil}, ${input.createdAt}, ${input.updatedAt},
       ${input.createdBy}, ${input.deletedAt})
     on conflict (organization_id, id) do update
       set name = excluded.name, parameters = excluded.parameters, scope = excluded.scope, channel_ids = excluded.channel_ids,
         muted = excluded.muted, muted_until = excluded.muted_until, updated_at = excluded.updated_at,
         deleted_at = excluded.deleted_at`,
);

type AlertRuleText = Omit<AlertRuleRow, 'parameters'> & { readonly parameters: string };

/** Inserts or replaces a rule. */
export async function saveRule(tx: WriteTransaction, rule: AlertRuleRow): Promise<void> {
  await tx.run(SAVE_RULE, { ...rule, parameters: JSON.stringify(rule.parameters) });
}

const ADD_RULE = statement(
  (input: Parameters<AlertRuleText>) =>
    sql<object>`insert into alert_rule (organization_id, id, kind, name, parameters, scope, channel_ids, is_built_in, muted,
       muted_until, created_at, updated_at, created_by, deleted_at)
     values (${input.organizationId}, ${input.id}, ${input.kind}, ${input.name}, ${input.parameters}::text::jsonb, ${input.scope},
       ${input.channelIds}, ${input.isBuiltIn}, ${input.muted}, ${input.mutedUntil}, ${input.createdAt}, ${input.updatedAt},
       ${input.createdBy}, ${input.deletedAt})
     on conflict (organization_id, id) do nothing`,
);

/** Adds a rule unless it exists, even if it has been deleted. */
export async function addRule(tx: WriteTransaction, rule: AlertRuleRow): Promise<void> {
  await tx.run(ADD_RULE, { ...rule, parameters: JSON.stringify(rule.parameters) });
}

const COUNT_RULES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{
      count: number;
    }>`select count(*)::int as count from alert_rule where organization_id = ${organizationId} and deleted_at is null`,
);

/** Number of rules in use. Takes a lock: nobody else can add a rule until the transaction ends. */
export async function countRules(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
  await lockOrganization(tx, 'alertRules', organizationId);
  const { count } = await tx.one(COUNT_RULES, { organizationId });
  return count;
}
