/** The log of deliveries: every attempt and what the receiver answered. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AlertAttemptTable = defineEntity({
  name: 'AlertAttempt',
  tableName: 'alert_attempt',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    deliveryId: p.uuid().primary(),
    /** From 1. */
    attempt: p.integer().primary(),
    at: p.datetime(3),
    durationMilliseconds: p.integer(),
    /** Of HTTP or SMTP; null where no answer came. */
    statusCode: p.integer().nullable(),
    /** In plain words; null when it was taken. */
    error: p.text().nullable(),
    /** The beginning of the receiver's answer. */
    answer: p.text().nullable(),
  },
});

type Row = InferEntity<typeof AlertAttemptTable>;

/** An attempt as the database holds it. */
export type AlertAttemptRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export async function addAttempt(em: EntityManager, attempt: AlertAttemptRow): Promise<void> {
  await em.insert(AlertAttemptTable, attempt);
}

/** Attempts of these deliveries, the first one first. */
export async function listAttempts(
  em: EntityManager,
  organizationId: string,
  deliveryIds: readonly string[],
): Promise<AlertAttemptRow[]> {
  return (await em.find(
    AlertAttemptTable,
    { organizationId, deliveryId: { $in: [...deliveryIds] } },
    { orderBy: { deliveryId: 'asc', attempt: 'asc' }, disableIdentityMap: true },
  )) as AlertAttemptRow[];
}
