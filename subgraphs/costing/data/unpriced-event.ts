/** Events that have had their turn and have no cost: they wait for a rate card, or were given up. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const UnpricedEventTable = defineEntity({
  name: 'UnpricedEvent',
  tableName: 'unpriced_event',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    status: p.enum(['pending_rate_card', 'failed']),
    livemode: p.boolean(),
    eventTime: p.datetime(6),
    model: p.text(),
    provider: p.text().nullable(),
    reason: p.text(),
    since: p.datetime(3),
  },
  indexes: [
    { name: 'unpriced_event_model_index', properties: ['organizationId', 'status', 'model'] },
    { name: 'unpriced_event_time_index', properties: ['organizationId', 'eventTime'] },
  ],
});

export type UnpricedEvent = InferEntity<typeof UnpricedEventTable>;

export interface NewUnpricedEvent {
  readonly event: { readonly id: string; readonly livemode: boolean; readonly eventTime: string; readonly model: string; readonly provider: string | null };
  readonly status: 'pending_rate_card' | 'failed';
  readonly reason: string;
}

export async function insertUnpricedEvents(
  em: EntityManager, organizationId: string, since: Date, rows: readonly NewUnpricedEvent[],
): Promise<void> {
  if (rows.length === 0) return;
  await query(em, `
    insert into unpriced_event (organization_id, since, event_id, status, livemode, event_time, model, provider, reason)
    select $1, $2, * from unnest($3::uuid[], $4::text[], $5::boolean[], $6::timestamptz[], $7::text[], $8::text[], $9::text[])`, [
    organizationId, since, rows.map(({ event }) => event.id), rows.map(({ status }) => status), rows.map(({ event }) => event.livemode),
    rows.map(({ event }) => event.eventTime), rows.map(({ event }) => event.model), rows.map(({ event }) => event.provider),
    rows.map(({ reason }) => reason),
  ]);
}
