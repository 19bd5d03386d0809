/** Records when rates changed. Cached match results are valid for one generation only. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lock } from '#platform/database/locks.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { rateTable } from './rate-table.ts';

export const RateGenerationTable = defineEntity({
  name: 'RateGeneration',
  tableName: 'rate_generation',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    /** The transaction that changed rates last. Never reused, not even after a rollback. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    changedAt: p.datetime(3),
  },
});

const READ_RATE_GENERATION = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: OrganizationId }>) =>
    sql<{
      generation: string;
    }>`select organization_id::text || xid::text as generation from rate_generation where organization_id in (${globalTenant}, ${organizationId}) order by 1`,
);

/** Call it before reading cards. */
export async function readRateGeneration(tx: Transaction, organizationId: OrganizationId): Promise<string> {
  const rows = await tx.all(READ_RATE_GENERATION, { globalTenant: GLOBAL_TENANT, organizationId });
  return rows.map(({ generation }) => generation).join(' ');
}

const READ_RATE_GENERATIONS = statement(
  ({ organizationIds }: Parameters<{ organizationIds: readonly OrganizationId[] }>) =>
    sql<{
      organizationId: OrganizationId;
      generation: string;
    }>`select organization_id, organization_id::text || xid::text as generation from rate_generation where organization_id = any(${organizationIds}::uuid[])`,
);

/**
 * By organization; `GLOBAL_TENANT` for standard rates. Organizations that never had rates of their own are left out.
 */
export async function readRateGenerations(
  tx: Transaction,
  organizationIds: readonly OrganizationId[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(READ_RATE_GENERATIONS, { organizationIds: [GLOBAL_TENANT, ...organizationIds] });
  return new Map(rows.map(({ organizationId, generation }) => [organizationId, generation]));
}

/**
 * Must be the first call in a transaction that prices events. Rate changes take this lock exclusively, pricing shares
 * it: an event can never start to wait for a card that was just written.
 */
export async function shareRates(tx: WriteTransaction): Promise<void> {
  await lock(tx, 'rates', 'shared');
}

/**
 * Blocks pricing and other rate changes until the transaction ends. Waits for running pricing transactions, which are
 * short.
 */
export async function lockRates(tx: WriteTransaction): Promise<void> {
  await lock(tx, 'rates');
}

const BEGIN_RATE_CHANGE = statement(
  ({
    organizationId,
    at,
  }: Parameters<{
    organizationId: OrganizationId;
    at: Date;
  }>) => sql<object>`insert into rate_generation (organization_id, xid, changed_at) values (${organizationId}, pg_current_xact_id(), ${at})
     on conflict (organization_id) do update set xid = excluded.xid, changed_at = excluded.changed_at`,
);

/** Must be the first call in a transaction that changes rates. */
export async function beginRateChange(tx: WriteTransaction, organizationId: OrganizationId, at: Date): Promise<void> {
  await lockRates(tx);
  await markRateChange(tx, organizationId, at);
}

/**
 * Marks a change without taking the lock. For a transaction that will be rolled back, and must not use cached rates.
 */
export async function markRateChange(tx: WriteTransaction, organizationId: OrganizationId, at: Date): Promise<void> {
  await tx.run(BEGIN_RATE_CHANGE, { organizationId, at });
}
