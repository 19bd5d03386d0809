/** Fixed costs: their names, the usage they cover, and how they are divided. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { amount, plain } from '#kernel/money.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Driver, DRIVERS, type FixedCost, type FixedShare, type Scope } from './fixed-cost.ts';
import { listPeriods } from './fixed-cost-period.table.ts';

export const FixedCostTable = defineEntity({
  name: 'FixedCost',
  tableName: 'fixed_cost',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    key: p.text(),
    name: p.text(),
    provider: p.text().nullable(),
    driver: p.enum(DRIVERS),
    unit: p.text().nullable(),
    capacity: p.decimal().precision(30).scale(15).nullable(),
    weights: p.json<Readonly<Record<string, string>>>(),
    scope: p.json<Scope>(),
    shares: p.json<readonly FixedShare[]>(),
    replacesModelCost: p.boolean().default(false),
    revision: p.integer(),
    erasures: p.integer().default(0),
    changedAt: p.datetime(3),
  },
  uniques: [{ name: 'fixed_cost_key_unique', properties: ['organizationId', 'key'] }],
});

interface FixedCostRow extends Omit<FixedCost, 'capacity' | 'periods' | 'changedAt'> {
  readonly capacity: string | null;
  readonly changedAt: string;
}

const LIST_FIXED_COSTS = statement(
  ({
    organizationId,
    key,
    id,
  }: Parameters<{ organizationId: OrganizationId; key: string | null; id: string | null }>) =>
    sql<FixedCostRow>`
    select id, key, name, provider, driver, unit, capacity::text, weights, scope, shares, replaces_model_cost, revision, erasures,
      ${sql.raw(isoMillis('changed_at'))} as changed_at
    from fixed_cost where organization_id = ${organizationId}
      and (${key}::text is null or key = ${key}) and (${id}::uuid is null or id = ${id}) order by key`,
);

/** Fixed costs by key, with their periods. */
export async function listFixedCostRows(
  tx: Transaction,
  organizationId: OrganizationId,
  { key = null, id = null }: { readonly key?: string | null; readonly id?: string | null } = {},
): Promise<FixedCost[]> {
  const rows = await tx.all(LIST_FIXED_COSTS, { organizationId, key, id });
  if (rows.length === 0) return [];
  const periods = await listPeriods(tx, organizationId);
  return rows.map((row) => ({
    ...row,
    capacity: row.capacity === null ? null : amount(row.capacity),
    changedAt: new Date(row.changedAt),
    periods: periods.get(row.id) ?? [],
  }));
}

interface SavedRow {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly provider: string | null;
  readonly driver: Driver;
  readonly unit: string | null;
  readonly capacity: string | null;
  readonly weights: string;
  readonly scope: string;
  readonly shares: string;
  readonly replacesModelCost: boolean;
  readonly revision: number;
  readonly changedAt: Date;
}

const SAVE_FIXED_COST = statement(
  (input: Parameters<SavedRow>) => sql<object>`
    insert into fixed_cost (organization_id, id, key, name, provider, driver, unit, capacity, weights, scope, shares, replaces_model_cost, revision,
      changed_at)
    values (${input.organizationId}, ${input.id}, ${input.key}, ${input.name}, ${input.provider}, ${input.driver}, ${input.unit},
      ${input.capacity}, ${input.weights}::jsonb, ${input.scope}::jsonb, ${input.shares}::jsonb, ${input.replacesModelCost}, ${input.revision}, ${input.changedAt})
    on conflict (organization_id, id) do update set name = excluded.name, provider = excluded.provider, driver = excluded.driver,
      unit = excluded.unit, capacity = excluded.capacity, weights = excluded.weights, scope = excluded.scope,
      shares = excluded.shares, replaces_model_cost = excluded.replaces_model_cost, revision = excluded.revision, changed_at = excluded.changed_at`,
);

/** Saves the row of a fixed cost; its periods are saved separately. */
export async function saveFixedCostRow(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { capacity, weights, scope, shares, periods: _, erasures: _erasures, ...row }: FixedCost,
): Promise<void> {
  await tx.run(SAVE_FIXED_COST, {
    ...row,
    organizationId,
    capacity: capacity === null ? null : plain(capacity),
    weights: JSON.stringify(weights),
    scope: JSON.stringify(scope),
    shares: JSON.stringify(shares),
  });
}

const LOCK_FIXED_COST = statement(
  ({ organizationId, id }: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<{
      revision: number;
      erasures: number;
    }>`select revision, erasures from fixed_cost where organization_id = ${organizationId} and id = ${id} for no key update`,
);

/** Locks a fixed cost and returns its counters; null if it does not exist. */
export function lockFixedCost(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<{ readonly revision: number; readonly erasures: number } | null> {
  return tx.first(LOCK_FIXED_COST, { organizationId, id });
}

const REPLACE_END_USER = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; scope: string; shares: string }>) => sql<object>`
    update fixed_cost set scope = ${input.scope}::jsonb, shares = ${input.shares}::jsonb, erasures = erasures + 1
    where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Stores a scope and shares in which an erased end user was replaced. The terms are the same otherwise. */
export async function replaceEndUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, scope, shares }: Pick<FixedCost, 'id' | 'scope' | 'shares'>,
): Promise<void> {
  const texts = { scope: JSON.stringify(scope), shares: JSON.stringify(shares) };
  await tx.run(REPLACE_END_USER, { organizationId, id, ...texts });
}
