/** What an organization may still ingest: one exact row for each organization that has a plan or a pack, none for the others. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const CreditAccountTable = defineEntity({
  name: 'CreditAccount',
  tableName: 'credit_account',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Events of the plan in each period; null without a plan. The next four are null with it. */
    allotment: p.bigint().nullable(),
    allotmentLeft: p.bigint().nullable(),
    softLimit: p.bigint().nullable(),
    renewsAt: p.datetime(3).nullable(),
    renewalDay: p.integer().nullable(),
    /** Credits spent since there is an account: the number of its charged events. */
    spent: p.bigint(),
    /** The part of them that packs paid for. */
    spentFromPacks: p.bigint(),
  },
});

export type CreditAccountRow = InferEntity<typeof CreditAccountTable>;
