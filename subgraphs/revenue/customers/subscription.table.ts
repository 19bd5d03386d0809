/** Subscriptions at the processor: whose they are. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, type Transaction } from '../../../platform/database/sql.ts';
import type { SyncedSubscription } from '../stripe/read-subscription.ts';

export const SubscriptionTable = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    customerId: p.text().nullable(),
    status: p.text(),
    createdAt: p.datetime(3).nullable(),
    syncedAt: p.datetime(3),
  },
});

export type Subscription = InferEntity<typeof SubscriptionTable>;

export async function saveSubscriptions(
  em: EntityManager,
  organizationId: string,
  subscriptions: readonly SyncedSubscription[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(subscriptions.map((subscription) => [subscription.id, subscription])).values()].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  await query(
    em,
    `insert into subscription as known (organization_id, id, customer_id, status, created_at, synced_at)
     select $1, given.id, given.customer_id, given.status, to_timestamp(given.created), $6
     from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as given (id, customer_id, status, created)
     on conflict (organization_id, id) do update set customer_id = excluded.customer_id, status = excluded.status,
       created_at = coalesce(excluded.created_at, known.created_at), synced_at = excluded.synced_at`,
    [
      organizationId,
      unique.map(({ id }) => id),
      unique.map(({ customerId }) => customerId),
      unique.map(({ status }) => status),
      unique.map(({ created }) => created),
      now,
    ],
  );
}

/** The end user behind a subscription; undefined when the subscription is unknown, null when no one knows whose it is. */
export async function endUserOfSubscription(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<string | null | undefined> {
  const [row] = await query<{ externalId: string | null }>(
    tx,
    `select coalesce(customer.linked_external_id, customer.metadata_external_id) as external_id
     from subscription left join customer on customer.organization_id = subscription.organization_id and customer.id = subscription.customer_id
     where subscription.organization_id = $1 and subscription.id = $2`,
    [organizationId, id],
  );
  return row === undefined ? undefined : row.externalId;
}
