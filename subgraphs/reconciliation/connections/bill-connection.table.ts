/** Sources of bills, with the admin key if bills are pulled. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const BillConnectionTable = defineEntity({
  name: 'BillConnection',
  tableName: 'bill_connection',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    source: p.text(),
    name: p.text(),
    /** AES-256-GCM; null if bills are only imported. */
    sealedKey: p.blob().nullable(),
    /** Last characters of the key, to recognize it. */
    keyEnding: p.text().nullable(),
    /** Base URL of the source's API, set by operators; null for the provider's own. */
    apiBase: p.text().nullable(),
    /** Accounts, workspaces, projects and keys whose usage is deliberately not reported. */
    untrackedScopes: p.array(),
    /** Hours after the end of a day until the provider's figures for it are final. */
    settleHours: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** When the next pull is due; null without a key. */
    dueAt: p.datetime(3).nullable(),
    pulledAt: p.datetime(3).nullable(),
    /** Why the last pull failed; null if it succeeded. */
    lastError: p.text().nullable(),
    /** Failed pulls in a row. */
    failures: p.integer(),
  },
  uniques: [{ name: 'bill_connection_name_key', properties: ['organizationId', 'source', 'name'] }],
  indexes: [
    {
      name: 'bill_connection_due_index',
      expression: 'create index bill_connection_due_index on bill_connection (due_at) where due_at is not null',
    },
  ],
});

type Row = InferEntity<typeof BillConnectionTable>;

/** A connection as stored. */
export type BillConnectionRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

/** The organization's connections, ordered by creation time. */
export async function listConnections(
  tx: WriteTransaction,
  organizationId: OrganizationId,
): Promise<BillConnectionRow[]> {
  const orderBy = { createdAt: 'asc', id: 'asc' } as const;
  return (await tx.em.find(
    BillConnectionTable,
    { organizationId },
    { orderBy, disableIdentityMap: true },
  )) as BillConnectionRow[];
}

const HOLD = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<{ id: string }>`select id from bill_connection
      where organization_id = ${input.organizationId} and id = ${input.id} for update`,
);

export async function findConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<BillConnectionRow | null> {
  const [connection] = await tx.em.find(BillConnectionTable, { organizationId, id }, { disableIdentityMap: true });
  return (connection as BillConnectionRow | undefined) ?? null;
}

/** Locks a connection until the transaction ends, so that its bills are stored one at a time. Null if it does not exist. */
export async function holdConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<BillConnectionRow | null> {
  await tx.run(HOLD, { organizationId, id });
  return findConnection(tx, organizationId, id);
}

const ADD = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      source: string;
      name: string;
      settleHours: number;
      at: Date;
    }>,
  ) =>
    sql<{ id: string }>`insert into bill_connection (organization_id, id, source, name, untracked_scopes, settle_hours,
        created_at, updated_at, failures)
      values (${input.organizationId}, ${input.id}, ${input.source}, ${input.name}, '{}', ${input.settleHours}, ${input.at}, ${input.at}, 0)
      on conflict (organization_id, source, name) do update set name = excluded.name returning id`,
);

/** The connection with this source and name, created if it does not exist. */
export async function ensureConnection(
  tx: Transaction,
  input: { organizationId: OrganizationId; id: string; source: string; name: string; settleHours: number; at: Date },
): Promise<string> {
  return (await tx.one(ADD, input)).id;
}

/** Inserts a connection, or replaces it completely. */
export async function saveConnection(tx: WriteTransaction, connection: BillConnectionRow): Promise<void> {
  await tx.em.upsert(BillConnectionTable, connection, { disableIdentityMap: true });
}

export async function deleteConnection(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<void> {
  await tx.em.nativeDelete(BillConnectionTable, { organizationId, id });
}

const CLAIM = statement(
  (input: Parameters<{ at: Date; nextAt: Date }>) =>
    sql<{ organizationId: OrganizationId; id: string }>`with due as (
        select organization_id, id from bill_connection where due_at <= ${input.at}
        order by due_at limit 1 for update skip locked)
      update bill_connection as claimed set due_at = ${input.nextAt}
      from due where claimed.organization_id = due.organization_id and claimed.id = due.id
      returning claimed.organization_id, claimed.id`,
);

/** The connection that has been due longest; others do not claim it before `nextAt`. Null if none is due. */
export function claimDueConnection(
  tx: Transaction,
  at: Date,
  nextAt: Date,
): Promise<{ organizationId: OrganizationId; id: string } | null> {
  return tx.first(CLAIM, { at, nextAt });
}

const IS_DUE = statement(
  (input: Parameters<{ at: Date }>) =>
    sql<{ found: number }>`select 1 as found from bill_connection where due_at <= ${input.at} limit 1`,
);

/** Checks all organizations. */
export async function isAnyConnectionDue(tx: Transaction, at: Date): Promise<boolean> {
  return (await tx.all(IS_DUE, { at })).length > 0;
}
