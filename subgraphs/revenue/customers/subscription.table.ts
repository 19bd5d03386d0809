/** Subscriptions at the processor: whose they are. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '../../../platform/database/tenant-table.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import type { Transaction } from '../../../platform/database/sql.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
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

const SAVE_SUBSCRIPTIONS = statement(
  (
    input: Parameters<{
      organizationId: string;
      ids: readonly string[];
      customerIds: readonly (string | null)[];
      status: readonly string[];
      createds: readonly (number | null)[];
      now: Date;
    }>,
  ) => sql<object>`insert into subscription as known (organization_id, id, customer_id, status, created_at, synced_at)
     select ${input.organizationId}, given.id, given.customer_id, given.status, to_timestamp(given.created), ${input.now}
     from unnest(${input.ids}::text[], ${input.customerIds}::text[], ${input.status}::text[], ${input.createds}::bigint[]) as given (id, customer_id, status, created)
     on conflict (organization_id, id) do update set customer_id = excluded.customer_id, status = excluded.status,
       created_at = coalesce(excluded.created_at, known.created_at), synced_at = excluded.synced_at`,
);

export async function saveSubscriptions(
  em: EntityManager,
  organizationId: string,
  subscriptions: readonly SyncedSubscription[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(subscriptions.map((subscription) => [subscription.id, subscription])).values()].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  await run(em, SAVE_SUBSCRIPTIONS, {
    organizationId,
    ids: unique.map(({ id }) => id),
    customerIds: unique.map(({ customerId }) => customerId),
    status: unique.map(({ status }) => status),
    createds: unique.map(({ created }) => created),
    now,
  });
}

const END_USER_OF_SUBSCRIPTION = statement(
  ({ organizationId, id }: Parameters<{ organizationId: string; id: string }>) => sql<{
    externalId: string | null;
  }>`select coalesce(customer.linked_external_id, customer.metadata_external_id) as external_id
     from subscription left join customer on customer.organization_id = subscription.organization_id and customer.id = subscription.customer_id
     where subscription.organization_id = ${organizationId} and subscription.id = ${id}`,
);

/** The end user behind a subscription; undefined when the subscription is unknown, null when no one knows whose it is. */
export async function endUserOfSubscription(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<string | null | undefined> {
  const [row] = await run(tx, END_USER_OF_SUBSCRIPTION, { organizationId, id });
  return row === undefined ? undefined : row.externalId;
}
