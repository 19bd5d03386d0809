/** Tells when rates changed: what was remembered of matching holds for one generation only. */
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { EVERYBODY, rateTable } from './rate-table.ts';

export const RateGenerationTable = defineEntity({
  name: 'RateGeneration',
  tableName: 'rate_generation',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    /** The transaction that changed rates last: never used twice, not even after a rollback. */
    xid: p.string().columnType('xid8').defaultRaw('pg_current_xact_id()'),
    /** Whether waiting events were looked through since. */
    requeued: p.boolean(),
  },
});

/** Rates change under this lock, pricing shares it: no event can begin to wait for a card that was just written. */
const RATES_LOCK = 727_010;

/** Read it before the cards themselves. */
export async function readRateGeneration(em: EntityManager, organizationId: string): Promise<string> {
  const rows = await query<{ generation: string }>(em,
    'select organization_id::text || xid::text as generation from rate_generation where organization_id in ($1, $2) order by 1',
    [EVERYBODY, organizationId]);
  return rows.map(({ generation }) => generation).join(' ');
}

/** Call it first in a transaction that prices. */
export async function shareRates(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock_shared($1)', [RATES_LOCK]);
}

/** Call it first in a transaction that changes rates. Waits for the transactions that price; they are short. */
export async function beginRateChange(em: EntityManager, organizationId: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1)', [RATES_LOCK]);
  await query(em,
    `insert into rate_generation (organization_id, xid, requeued) values ($1, pg_current_xact_id(), false)
     on conflict (organization_id) do update set xid = excluded.xid, requeued = false`,
    [organizationId]);
}
