/** End users: whoever an event has named. They are never deleted. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const EndUserTable = defineEntity({
  name: 'EndUser',
  tableName: 'end_user',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Computed from the external id (decisions.md D51). */
    id: p.uuid().primary(),
    externalId: p.text(),
    /** Least event time, priced or not. */
    firstSeenAt: p.datetime(6),
  },
});

export type EndUser = InferEntity<typeof EndUserTable>;
