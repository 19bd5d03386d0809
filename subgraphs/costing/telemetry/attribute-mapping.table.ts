/** An organization's own attribute mapping for telemetry. Without a row, the defaults apply. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { type AttributeMapping, DEFAULT_MAPPING } from '#usage/telemetry/attribute-mapping.ts';

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

const FIND_MAPPING = statement<AttributeMapping, { readonly organizationId: OrganizationId }>(
  'select end_user, agent, session, dimensions, booked_costs from attribute_mapping where organization_id = :organizationId',
  { isPointRead: true },
);

export async function findMapping(tx: Transaction, organizationId: OrganizationId): Promise<AttributeMapping> {
  const [row] = await tx.all(FIND_MAPPING, { organizationId });
  return row ?? DEFAULT_MAPPING;
}

const SAVE_MAPPING = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly endUser: readonly string[];
    readonly agent: readonly string[];
    readonly session: readonly string[];
    readonly dimensions: string;
    readonly bookedCosts: readonly string[];
  }
>(`insert into attribute_mapping (organization_id, end_user, agent, session, dimensions, booked_costs)
     values (:organizationId, :endUser, :agent, :session, :dimensions, :bookedCosts)
     on conflict (organization_id) do update set end_user = excluded.end_user, agent = excluded.agent,
       session = excluded.session, dimensions = excluded.dimensions, booked_costs = excluded.booked_costs`);

export async function saveMapping(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { endUser, agent, session, dimensions, bookedCosts }: AttributeMapping,
): Promise<void> {
  await tx.run(SAVE_MAPPING, {
    organizationId,
    endUser,
    agent,
    session,
    dimensions: JSON.stringify(dimensions),
    bookedCosts,
  });
}
