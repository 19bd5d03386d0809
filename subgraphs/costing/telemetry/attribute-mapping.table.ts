/** An organization's own attribute mapping for telemetry. Without a row, the defaults apply. */
import { defineEntity, p } from '@mikro-orm/core';
import { query } from '#platform/database/sql.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type AttributeMapping, DEFAULT_MAPPING } from './attribute-mapping.ts';

export const AttributeMappingTable = defineEntity({
  name: 'AttributeMapping',
  tableName: 'attribute_mapping',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    endUser: p.array(),
    agent: p.array(),
    session: p.array(),
    /** An array of objects, each with a dimension and its attributes in order. */
    dimensions: p.json<AttributeMapping['dimensions']>().columnType('json'),
    bookedCosts: p.array().default([]),
  },
});

export async function findMapping(tx: Transaction, organizationId: string): Promise<AttributeMapping> {
  const [row] = await query<AttributeMapping>(
    tx,
    'select end_user, agent, session, dimensions, booked_costs from attribute_mapping where organization_id = $1',
    [organizationId],
  );
  return row ?? DEFAULT_MAPPING;
}

export async function saveMapping(
  tx: WriteTransaction,
  organizationId: string,
  { endUser, agent, session, dimensions, bookedCosts }: AttributeMapping,
): Promise<void> {
  await query(
    tx,
    `insert into attribute_mapping (organization_id, end_user, agent, session, dimensions, booked_costs)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id) do update set end_user = excluded.end_user, agent = excluded.agent,
       session = excluded.session, dimensions = excluded.dimensions, booked_costs = excluded.booked_costs`,
    [organizationId, endUser, agent, session, JSON.stringify(dimensions), bookedCosts],
  );
}
