/** Hour counters of live events, kept in the transactions that price: a summary reads these and the two broken hours. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const CostHourTable = defineEntity({
  name: 'CostHour',
  tableName: 'cost_hour',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** First instant of a UTC hour of event time. */
    hour: p.datetime(0).primary(),
    completed: p.bigint(),
    failed: p.bigint(),
    pendingRateCard: p.bigint(),
    totalCost: p.decimal().precision(40).scale(15),
    /** Input plus output tokens of every event counted here. */
    quantity: p.decimal().precision(40).scale(0),
  },
});

export type CostHour = InferEntity<typeof CostHourTable>;
