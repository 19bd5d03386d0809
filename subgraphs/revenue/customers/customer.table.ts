/** The processor's customers, each with its end user (decision 9, D42). */
import { PSEUDONYM } from '#platform/subgraph/check-erasure.ts';
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { SyncedCustomer } from '../stripe/read-customer.ts';

export const CustomerTable = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  ...tenantTable('revenue'),
  properties: {
    organizationId: p.uuid().primary(),
    /** The processor's id. */
    id: p.text().primary(),
    name: p.text().nullable(),
    /** End user from the customer's metadata, under the connection's `endUserKey`. */
    metadataExternalId: p.text().nullable(),
    /** End user linked by hand: overrides the metadata, and a sync never changes it. */
    linkedExternalId: p.text().nullable(),
    /** True if the connected account does not have the customer. Cleared if a sync finds it again. */
    deleted: p.boolean(),
    createdAt: p.datetime(3).nullable(),
    syncedAt: p.datetime(3),
    /** Time of the end user's erasure. Later syncs do not restore the name or the metadata. */
    erasedAt: p.datetime(3).nullable(),
  },
});

const SAVE_CUSTOMERS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      ids: readonly string[];
      names: readonly (string | null)[];
      externalIds: readonly (string | null)[];
      deleteds: readonly boolean[];
      createds: readonly (number | null)[];
      now: Date;
    }>,
  ) => sql<object>`insert into customer as known (organization_id, id, name, metadata_external_id, deleted, created_at, synced_at)
     select ${input.organizationId}, given.id, given.name, given.external_id, given.deleted, to_timestamp(given.created), ${input.now}
     from unnest(${input.ids}::text[], ${input.names}::text[], ${input.externalIds}::text[], ${input.deleteds}::boolean[], ${input.createds}::bigint[]) as given (id, name, external_id, deleted, created)
     on conflict (organization_id, id) do update set
       name = case when excluded.deleted or known.erased_at is not null then known.name else excluded.name end,
       metadata_external_id = case
         when excluded.deleted or known.erased_at is not null or known.metadata_external_id ~ ${PSEUDONYM.source} then known.metadata_external_id
         else excluded.metadata_external_id end,
       deleted = excluded.deleted, created_at = coalesce(excluded.created_at, known.created_at), synced_at = excluded.synced_at`,
);

/**
 * Upserts customers; manual links stay. A deleted customer keeps its name and metadata. A customer of Accounts v2 is
 * also stored under its account's id, since its invoices may refer to the account.
 */
export async function saveCustomers(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  customers: readonly SyncedCustomer[],
  now: Date,
): Promise<void> {
  const named = customers.flatMap((customer) =>
    customer.accountId === null ? [customer] : [customer, { ...customer, id: customer.accountId }],
  );
  const unique = [...new Map(named.map((customer) => [customer.id, customer])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await tx.run(SAVE_CUSTOMERS, {
    organizationId,
    ids: unique.map(({ id }) => id),
    names: unique.map(({ name }) => name),
    externalIds: unique.map(({ externalId }) => externalId),
    deleteds: unique.map(({ deleted }) => deleted),
    createds: unique.map(({ created }) => created),
    now,
  });
}

const RECORD_CUSTOMERS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      ids: readonly string[];
      names: readonly (string | null)[];
      deleteds: readonly boolean[];
      now: Date;
    }>,
  ) => sql<object>`insert into customer (organization_id, id, name, deleted, synced_at)
     select ${input.organizationId}, given.id, given.name, given.deleted, ${input.now} from unnest(${input.ids}::text[], ${input.names}::text[], ${input.deleteds}::boolean[]) as given (id, name, deleted)
     on conflict do nothing`,
);

/** Inserts customers known only from an invoice, e.g. deleted ones, so that they can be linked by hand. */
export async function recordCustomers(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  customers: readonly Pick<SyncedCustomer, 'id' | 'name' | 'deleted'>[],
  now: Date,
): Promise<void> {
  const unique = [...new Map(customers.map((customer) => [customer.id, customer])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  if (unique.length === 0) return;
  await tx.run(RECORD_CUSTOMERS, {
    organizationId,
    ids: unique.map(({ id }) => id),
    names: unique.map(({ name }) => name),
    deleteds: unique.map(({ deleted }) => deleted),
    now,
  });
}

const LINK_CUSTOMER_TO = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; externalId: string | null }>) =>
    sql<CustomerRow>`update customer set linked_external_id = ${input.externalId} where organization_id = ${input.organizationId} and id = ${input.id} returning ${sql.raw(COLUMNS)}`,
);

/** Links a customer to an end user, or removes the link. Returns null if the customer is unknown. */
export async function linkCustomerTo(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  externalId: string | null,
): Promise<CustomerRow | null> {
  return tx.first(LINK_CUSTOMER_TO, { organizationId, id, externalId });
}

const MARK_CUSTOMERS_GONE = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`update customer set deleted = true where organization_id = ${organizationId} and not deleted`,
);

/** Marks all customers as deleted until a sync finds them in the newly connected account. */
export async function markCustomersGone(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK_CUSTOMERS_GONE, { organizationId });
}

const NAMES_OF_END_USERS = statement(
  ({
    organizationId,
    externalIds,
  }: Parameters<{ organizationId: OrganizationId; externalIds: readonly string[] }>) => sql<{
    externalId: string;
    name: string;
  }>`
    select distinct on (external_id) external_id, name
    from (select coalesce(linked_external_id, metadata_external_id) as external_id, name, id from customer where organization_id = ${organizationId}) as mapped
    where name is not null and external_id = any(${externalIds}::text[]) order by external_id, id`,
);

/**
 * If an end user has several customers, the first one by id determines the name. End users without a name have no row.
 */
export function namesOfEndUsers(
  tx: Transaction,
  organizationId: OrganizationId,
  externalIds: readonly string[],
): Promise<{ externalId: string; name: string }[]> {
  return tx.all(NAMES_OF_END_USERS, { organizationId, externalIds });
}

const COUNT_CUSTOMERS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) => sql<{ all: number; unmapped: number }>`
    select count(*)::int as all, (count(*) filter (where coalesce(linked_external_id, metadata_external_id) is null))::int as unmapped
    from customer where organization_id = ${organizationId} and not deleted`,
);

/** Counts customers that are not deleted, and those without an end user. */
export async function countCustomers(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<{ all: number; unmapped: number }> {
  return (await tx.first(COUNT_CUSTOMERS, { organizationId })) ?? { all: 0, unmapped: 0 };
}

const FIND_CUSTOMER = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<CustomerRow>`select ${sql.raw(COLUMNS)} from customer where organization_id = ${organizationId} and id = ${id}`,
  { isPointRead: true },
);

/** Returns null if no sync has seen it. */
export async function findCustomer(
  tx: Transaction,
  organizationId: OrganizationId,
  id: string,
): Promise<CustomerRow | null> {
  return tx.first(FIND_CUSTOMER, { organizationId, id });
}

const ERASE_CUSTOMERS_OF = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; externalId: string; pseudonym: string; at: Date }>,
  ) => sql<object>`update customer set name = null, metadata_external_id = null, linked_external_id = ${input.pseudonym}, erased_at = ${input.at}
     where organization_id = ${input.organizationId} and (linked_external_id = ${input.externalId} or (linked_external_id is null and metadata_external_id = ${input.externalId})) returning 1 as erased`,
);

/** Erases the metadata of customers that were linked to somebody else by hand. They keep their names. */
const ERASE_METADATA_OF = statement(
  (input: Parameters<{ organizationId: OrganizationId; externalId: string; pseudonym: string }>) =>
    sql<object>`update customer set metadata_external_id = ${input.pseudonym} where organization_id = ${input.organizationId} and metadata_external_id = ${input.externalId}`,
);

/**
 * Permanently links an end user's customers to a pseudonym and removes their names. Returns their number. A customer
 * that was linked to somebody else loses only the end user's id, and no sync restores it.
 */
export async function eraseCustomersOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { externalId, pseudonym, at }: { externalId: string; pseudonym: string; at: Date },
): Promise<number> {
  const rows = await tx.all(ERASE_CUSTOMERS_OF, { organizationId, externalId, pseudonym, at });
  await tx.run(ERASE_METADATA_OF, { organizationId, externalId, pseudonym });
  return rows.length;
}

export interface CustomerRow {
  id: string;
  name: string | null;
  metadataExternalId: string | null;
  linkedExternalId: string | null;
  deleted: boolean;
}

const COLUMNS = 'id, name, metadata_external_id, linked_external_id, deleted';

const CUSTOMER_PAGE = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; limit: number; offset: number; unmapped: boolean }>,
  ) => sql<CustomerRow>`select ${sql.raw(COLUMNS)} from customer where organization_id = ${input.organizationId} and (not ${input.unmapped} or coalesce(linked_external_id, metadata_external_id) is null)
     order by id limit ${input.limit} offset ${input.offset}`,
);

/** A page of customers by id; with `unmapped`, only those without an end user. */
export async function customerPage(
  tx: Transaction,
  organizationId: OrganizationId,
  { limit, offset, unmapped }: { limit: number; offset: number; unmapped: boolean },
): Promise<CustomerRow[]> {
  return tx.all(CUSTOMER_PAGE, { organizationId, limit, offset, unmapped });
}

const COUNT_LISTED_CUSTOMERS = statement(
  (input: Parameters<{ organizationId: OrganizationId; unmapped: boolean }>) => sql<{ count: number }>`
    select count(*)::int as count from customer
    where organization_id = ${input.organizationId} and (not ${input.unmapped} or coalesce(linked_external_id, metadata_external_id) is null)`,
);

/** Counts the customers of all pages, including deleted ones. */
export async function countListedCustomers(
  tx: Transaction,
  organizationId: OrganizationId,
  unmapped: boolean,
): Promise<number> {
  return (await tx.one(COUNT_LISTED_CUSTOMERS, { organizationId, unmapped })).count;
}
