/** Subscriptions at the processor and their customers. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
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
      organizationId: OrganizationId;
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
  tx: WriteTransaction,
  organizationId: OrganizationId,
  subscriptions: readonly SyncedSubscription[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(subscriptions.map((subscription) => [subscription.id, subscription])).values()].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  await tx.run(SAVE_SUBSCRIPTIONS, {
    organizationId,
    ids: unique.map(({ id }) => id),
    customerIds: unique.map(({ customerId }) => customerId),
    status: unique.map(({ status }) => status),
    createds: unique.map(({ created }) => created),
    now,
  });
}

/** Subscription joined with its customer. The customer's columns are null if no sync has seen it. */
export interface SubscriptionRow {
  readonly id: string;
  readonly status: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string | null;
  readonly customerId: string | null;
  readonly name: string | null;
  readonly metadataExternalId: string | null;
  readonly linkedExternalId: string | null;
  readonly deleted: boolean | null;
}

const WITH_CUSTOMER = `select subscription.id, subscription.status, ${isoMillis('subscription.created_at')} as created_at, customer.id as customer_id,
       customer.name, customer.metadata_external_id, customer.linked_external_id, customer.deleted
     from subscription left join customer on customer.organization_id = subscription.organization_id and customer.id = subscription.customer_id`;

const FIND_SUBSCRIPTION = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<SubscriptionRow>`${sql.raw(WITH_CUSTOMER)} where subscription.organization_id = ${organizationId} and subscription.id = ${id}`,
);

/** Returns null if no sync has seen it. */
export function findSubscriptionRow(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string,
): Promise<SubscriptionRow | null> {
  return tx.first(FIND_SUBSCRIPTION, { organizationId, id });
}

const SUBSCRIPTION_PAGE = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; customerId: string | null; limit: number; offset: number }>,
  ) => sql<SubscriptionRow>`${sql.raw(WITH_CUSTOMER)}
     where subscription.organization_id = ${input.organizationId} and (${input.customerId}::text is null or subscription.customer_id = ${input.customerId})
     order by subscription.created_at desc nulls last, subscription.id limit ${input.limit} offset ${input.offset}`,
);

/** A page of subscriptions, newest first. */
export function subscriptionPage(
  tx: Transaction,
  organizationId: OrganizationId,
  { customerId, limit, offset }: { customerId: string | null; limit: number; offset: number },
): Promise<SubscriptionRow[]> {
  return tx.all(SUBSCRIPTION_PAGE, { organizationId, customerId, limit, offset });
}

const COUNT_SUBSCRIPTIONS = statement(
  (input: Parameters<{ organizationId: OrganizationId; customerId: string | null }>) => sql<{ count: number }>`
    select count(*)::int as count from subscription
    where organization_id = ${input.organizationId} and (${input.customerId}::text is null or customer_id = ${input.customerId})`,
);

export async function countSubscriptions(
  tx: Transaction,
  organizationId: OrganizationId,
  customerId: string | null,
): Promise<number> {
  return (await tx.one(COUNT_SUBSCRIPTIONS, { organizationId, customerId })).count;
}
