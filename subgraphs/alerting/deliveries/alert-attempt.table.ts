/** The log of deliveries: every attempt and what the receiver answered. */
import { defineEntity, p } from '@mikro-orm/core';
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
