/** Episodes: from the evaluation at which a rule started to fire for a group to the one at which it stopped. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { RuleScope } from '../rules/rule-parameters.ts';
import type { AlertKind } from '../resolvers.generated.ts';
import type { Evidence } from '../figures/evidence.ts';
import type { ClosedReason } from './next-state.ts';

export const AlertEpisodeTable = defineEntity({
  name: 'AlertEpisode',
  tableName: 'alert_episode',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time-ordered. */
    id: p.uuid().primary(),
    ruleId: p.uuid(),
    kind: p.text().$type<AlertKind>(),
    /** The scope required to read it. */
    scope: p.text().$type<RuleScope>(),
    groupKey: p.text(),
    groupName: p.text().nullable(),
    severity: p.enum(['WARNING', 'CRITICAL']),
    /** For a budget, the highest level reached, in percent. */
    level: p.integer().nullable(),
    openedAt: p.datetime(3),
    closedAt: p.datetime(3).nullable(),
    closedReason: p
      .enum(['RECOVERED', 'ACCEPTED', 'NOT_APPLICABLE', 'PERIOD_ENDED', 'RULE_CHANGED', 'RULE_DELETED'])
      .nullable(),
    /** Evidence for the opening, or for the last level reached. */
    evidence: p.json<Evidence>(),
    acknowledgedAt: p.datetime(3).nullable(),
    acknowledgedBy: p.uuid().nullable(),
  },
  indexes: [
    {
      name: 'alert_episode_open_index',
      expression:
        'create unique index alert_episode_open_index on alert_episode (organization_id, rule_id, group_key) where closed_at is null',
    },
    { name: 'alert_episode_rule_index', properties: ['organizationId', 'ruleId', 'id'] },
  ],
  checks: [{ name: 'alert_episode_closed_with_reason', expression: '(closed_at is null) = (closed_reason is null)' }],
});

export interface EpisodeRow {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly ruleId: string;
  /** The rule's current or last name. */
  readonly ruleName: string;
  readonly kind: AlertKind;
  readonly scope: RuleScope;
  readonly groupKey: string;
  readonly groupName: string | null;
  readonly severity: 'WARNING' | 'CRITICAL';
  readonly level: number | null;
  /** ISO 8601 UTC, like the other times. */
  readonly openedAt: string;
  readonly closedAt: string | null;
  readonly closedReason: ClosedReason | null;
  readonly evidence: Evidence;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedBy: string | null;
}

const COLUMNS = `organization_id, id,
  (select name from alert_rule r where r.organization_id = alert_episode.organization_id and r.id = rule_id) as rule_name, rule_id, kind, scope, group_key, group_name, severity, level, evidence, closed_reason,
  acknowledged_by, ${isoMillis('opened_at')} as opened_at, ${isoMillis('closed_at')} as closed_at,
  ${isoMillis('acknowledged_at')} as acknowledged_at`;

const OPEN_EPISODES = statement(
  ({ organizationIds }: Parameters<{ organizationIds: readonly OrganizationId[] }>) =>
    sql<EpisodeRow>`select ${sql.raw(COLUMNS)} from alert_episode
      where organization_id = any(${organizationIds}::uuid[]) and closed_at is null`,
);

/** All open episodes of these organizations. */
export function listOpenEpisodes(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<EpisodeRow[]> {
  return tx.all(OPEN_EPISODES, { organizationIds });
}

const OPEN = statement(
  (input: Parameters<Omit<EpisodeRow, 'evidence' | 'ruleName'> & { evidence: string }>) =>
    sql<object>`insert into alert_episode (organization_id, id, rule_id, kind, scope, group_key, group_name, severity, level,
       opened_at, evidence)
     values (${input.organizationId}, ${input.id}, ${input.ruleId}, ${input.kind}, ${input.scope}, ${input.groupKey},
       ${input.groupName}, ${input.severity}, ${input.level}, ${input.openedAt}::timestamptz, ${input.evidence}::text::jsonb)`,
);

/** Violates the unique index if the group already has an open episode. */
export async function insertEpisode(tx: WriteTransaction, episode: EpisodeRow): Promise<void> {
  await tx.run(OPEN, { ...episode, evidence: JSON.stringify(episode.evidence) });
}

const RAISE = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      level: number;
      severity: string;
      evidence: string;
    }>,
  ) =>
    sql<object>`update alert_episode
      set level = ${input.level}, severity = ${input.severity}, evidence = ${input.evidence}::text::jsonb
      where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Records another level. */
export async function raiseEpisode(
  tx: WriteTransaction,
  episode: Pick<EpisodeRow, 'organizationId' | 'id' | 'severity' | 'evidence'>,
  level: number,
): Promise<void> {
  const { organizationId, id, severity, evidence } = episode;
  await tx.run(RAISE, { organizationId, id, level, severity, evidence: JSON.stringify(evidence) });
}

const CLOSE = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date; reason: string }>) =>
    sql<object>`update alert_episode set closed_at = ${input.at}, closed_reason = ${input.reason}
      where organization_id = ${input.organizationId} and id = ${input.id} and closed_at is null`,
);

export async function closeEpisode(
  tx: WriteTransaction,
  { organizationId, id }: Pick<EpisodeRow, 'organizationId' | 'id'>,
  at: Date,
  reason: ClosedReason,
): Promise<void> {
  await tx.run(CLOSE, { organizationId, id, at, reason });
}

const ACKNOWLEDGE = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date; by: string | null }>) =>
    sql<{ id: string }>`update alert_episode set acknowledged_at = ${input.at}, acknowledged_by = ${input.by}
      where organization_id = ${input.organizationId} and id = ${input.id} and acknowledged_at is null and closed_at is null
      returning id`,
);

/** False if it had ended or was already acknowledged. */
export async function acknowledgeEpisode(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  at: Date,
  by: string | null,
): Promise<boolean> {
  return (await tx.all(ACKNOWLEDGE, { organizationId, id, at, by })).length > 0;
}

export interface EpisodeFilter {
  readonly state: 'OPEN' | 'CLOSED' | null;
  readonly ruleId: string | null;
  readonly id: string | null;
  readonly scopes: readonly RuleScope[];
}

type EpisodeSelection = EpisodeFilter & { readonly organizationId: OrganizationId };

const SELECTED = (input: Parameters<EpisodeSelection>) => sql`organization_id = ${input.organizationId}
  and scope = any(${input.scopes}) and (${input.ruleId}::uuid is null or rule_id = ${input.ruleId})
  and (${input.id}::uuid is null or id = ${input.id})
  and (${input.state}::text is null or (closed_at is null) = (${input.state}::text = 'OPEN'))`;

const EPISODES = statement(
  (input: Parameters<EpisodeSelection & { limit: number; offset: number }>) =>
    sql<EpisodeRow>`select ${sql.raw(COLUMNS)} from alert_episode where ${SELECTED(input)}
      order by id desc limit ${input.limit} offset ${input.offset}`,
);

const COUNT_EPISODES = statement(
  (input: Parameters<EpisodeSelection>) =>
    sql<{ count: number }>`select count(*)::int as count from alert_episode where ${SELECTED(input)}`,
);

/** A page of episodes, newest first. */
export function listEpisodes(
  tx: Transaction,
  organizationId: OrganizationId,
  filter: EpisodeFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<EpisodeRow[]> {
  return tx.all(EPISODES, { organizationId, ...filter, limit: page.limit, offset: page.offset });
}

export async function countEpisodes(
  tx: Transaction,
  organizationId: OrganizationId,
  filter: EpisodeFilter,
): Promise<number> {
  return (await tx.one(COUNT_EPISODES, { organizationId, ...filter })).count;
}
