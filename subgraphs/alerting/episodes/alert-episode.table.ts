/** Episodes: from the evaluation at which a rule began to fire for a group to the one at which it ceased to. */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AlertEpisodeTable = defineEntity({
  name: 'AlertEpisode',
  tableName: 'alert_episode',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Grows with time. */
    id: p.uuid().primary(),
    ruleId: p.uuid(),
    kind: p.text(),
    /** The scope that reads it. */
    scope: p.text(),
    groupKey: p.text(),
    groupName: p.text().nullable(),
    severity: p.enum(['WARNING', 'CRITICAL']),
    /** Of a budget the highest level that was passed, in percent. */
    level: p.integer().nullable(),
    openedAt: p.datetime(3),
    closedAt: p.datetime(3).nullable(),
    closedReason: p.enum(['RECOVERED', 'RULE_CHANGED', 'RULE_DELETED', 'PERIOD_ENDED']).nullable(),
    /** The figures, their window, the sentence and the query that shows them. */
    evidence: p.json<unknown>(),
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
