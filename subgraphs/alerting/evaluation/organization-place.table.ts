/** What the round keeps of each organization: when it is due, and which days are judged. */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const OrganizationPlaceTable = defineEntity({
  name: 'OrganizationPlace',
  tableName: 'organization_place',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    firstSeenAt: p.datetime(3),
    /** When the rules that are evaluated every minute are due. */
    dueAt: p.datetime(3),
    /** When the rules of settled days are due. */
    dailyDueAt: p.datetime(3),
    /** The first UTC day that is not judged yet. */
    judgedUntil: p.datetime(3).nullable(),
    /** Why a day is not judged although it has settled, in plain words; null: nothing waits. */
    waitingFor: p.text().nullable(),
    evaluatedAt: p.datetime(3).nullable(),
    attempt: p.integer(),
  },
  indexes: [{ name: 'organization_place_due_index', properties: ['dueAt'] }],
});
