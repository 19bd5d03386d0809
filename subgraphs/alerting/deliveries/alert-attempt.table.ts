/** Delivery log: every attempt and the receiver's response. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const AlertAttemptTable = defineEntity({
  name: 'AlertAttempt',
  tableName: 'alert_attempt',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** Starts at 1. */
    attempt: p.integer().primary(),
    at: p.datetime(3),
    durationMilliseconds: p.integer(),
    /** HTTP or SMTP status; null without a response. */
    statusCode: p.integer().nullable(),
    /** Plain text; null if the delivery was accepted. */
    error: p.text().nullable(),
    /** First part of the receiver's response. */
    answer: p.text().nullable(),
  },
});

type Row = InferEntity<typeof AlertAttemptTable>;

/** An attempt as stored in the database. */
export type AlertAttemptRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export async function addAttempt(tx: WriteTransaction, attempt: AlertAttemptRow): Promise<void> {
  await tx.em.insert(AlertAttemptTable, attempt);
}

/** Attempts of these deliveries, in order. */
export async function listAttempts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  deliveryIds: readonly string[],
): Promise<AlertAttemptRow[]> {
  return (await tx.em.find(
    AlertAttemptTable,
    { organizationId, deliveryId: { $in: [...deliveryIds] } },
    { orderBy: { deliveryId: 'asc', attempt: 'asc' }, disableIdentityMap: true },
  )) as AlertAttemptRow[];
}
