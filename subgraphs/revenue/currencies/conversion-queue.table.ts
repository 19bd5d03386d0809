/** Organizations with records that may need a conversion into their reporting currencies. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { announceAfterCommit } from '#platform/database/announce.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const ConversionQueueTable = defineEntity({
  name: 'ConversionQueue',
  tableName: 'conversion_queue',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Invoices up to this id are done. */
    afterInvoice: p.text(),
  },
});

/** Channel of the job that converts records. */
export const CONVERSION_CHANNEL = 'revenue_conversion';

const QUEUE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<object>`
    insert into conversion_queue (organization_id, after_invoice)
    select organization_id, '' from organization_currency where organization_id = ${organizationId} limit 1
    on conflict (organization_id) do update set after_invoice = ''
    returning 1 as queued`,
);

/** Nothing happens if the organization has never chosen a currency. */
export async function queueConversion(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  if ((await tx.first(QUEUE, { organizationId })) !== null) announceAfterCommit(tx, CONVERSION_CHANNEL);
}

const QUEUE_ALL = statement(
  () => sql<object>`
    insert into conversion_queue (organization_id, after_invoice)
    select distinct organization_id, '' from organization_currency /* every organization */
    on conflict (organization_id) do update set after_invoice = ''`,
);

/** Queues every organization with a reporting currency for conversion from its first invoice on, after an import of rates. */
export async function queueAllConversions(tx: WriteTransaction): Promise<void> {
  await tx.run(QUEUE_ALL, {});
  announceAfterCommit(tx, CONVERSION_CHANNEL);
}

const CLAIM = statement(
  () => sql<{ organizationId: OrganizationId; afterInvoice: string }>`
    select organization_id, after_invoice from conversion_queue /* every organization */ limit 1 for update skip locked`,
);

/** Locks one organization of the queue until the transaction ends; null if there is none. */
export function claimConversion(
  tx: WriteTransaction,
): Promise<{ organizationId: OrganizationId; afterInvoice: string } | null> {
  return tx.first(CLAIM, {});
}

const ADVANCE = statement(
  (input: Parameters<{ organizationId: OrganizationId; afterInvoice: string }>) =>
    sql<object>`update conversion_queue set after_invoice = ${input.afterInvoice} where organization_id = ${input.organizationId}`,
);
const FINISH = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`delete from conversion_queue where organization_id = ${organizationId}`,
);

/** A null `afterInvoice` takes the organization off the queue. */
export async function advanceConversion(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  afterInvoice: string | null,
): Promise<void> {
  if (afterInvoice === null) await tx.run(FINISH, { organizationId });
  else await tx.run(ADVANCE, { organizationId, afterInvoice });
}

const IS_QUEUED = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`select 1 as queued from conversion_queue where organization_id = ${organizationId}`,
);

export async function isConversionQueued(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.first(IS_QUEUED, { organizationId })) !== null;
}
