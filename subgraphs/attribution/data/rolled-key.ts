/**
 * How far the rollup of a key is. `clearing`: rows of an earlier life are being deleted. `backfilling`: new facts are rolled up
 * as they come, and a job adds those up to `boundary`. `ready`: reads come from the rollup. `unbounded`: too many values in a
 * day. `retired`: no longer wanted. The follower adds to keys that are `backfilling` or `ready`, and to no others.
 */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const RolledKeyTable = defineEntity({
  name: 'RolledKey',
  tableName: 'rolled_key',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    key: p.text().primary(),
    state: p.enum(['clearing', 'backfilling', 'ready', 'unbounded', 'retired']),
    /** Last arrival that the backfill has to add; facts that arrived later are the follower's. */
    boundary: p.bigint().nullable(),
    /** Event time, event and sequence of the last fact that the backfill has added. */
    cursorTime: p.datetime(6).nullable(),
    cursorEventId: p.uuid().nullable(),
    cursorSequence: p.integer().nullable(),
    /** Whether rows of the key may be left in the rollups although it is `unbounded` or `retired`. */
    unswept: p.boolean(),
  },
  indexes: [{ name: 'rolled_key_work_index', properties: ['state', 'unswept'] }],
});

export type RolledKey = InferEntity<typeof RolledKeyTable>;
export type RolledKeyState = RolledKey['state'];
