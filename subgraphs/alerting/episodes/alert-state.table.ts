/** How far the judgement of a rule is, for each of its groups. */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AlertStateTable = defineEntity({
  name: 'AlertState',
  tableName: 'alert_state',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    ruleId: p.uuid().primary(),
    /** Empty for a rule without groups. */
    groupKey: p.text().primary(),
    state: p.enum(['ok', 'pending', 'firing']),
    /** What the detection keeps between two evaluations. */
    counters: p.json<unknown>(),
    /** Up to where figures were judged. */
    judgedThrough: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});
