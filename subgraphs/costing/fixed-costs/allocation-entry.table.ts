/**
 * The shares of end users in a fixed cost, by day; append-only. A later revision appends differences, which count on
 * `bookedDay`: the day itself, or the first open day if its month was closed (decision 29).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { amount, plain } from '#kernel/money.ts';
import { formOf, inEachForm, organizationRows } from '#platform/database/nodes/organization-rows.ts';
import { ensureHome } from '#platform/database/nodes/organization-home.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Carrier, CARRIERS } from './allocate-day.ts';
import type { DayShare } from './replaced-costs.ts';

export const AllocationEntryTable = defineEntity({
  name: 'AllocationEntry',
  tableName: 'allocation_entry',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    fixedCostId: p.uuid().primary(),
    day: p.date().primary(),
    revision: p.integer().primary(),
    carrier: p.enum(CARRIERS).primary(),
    /** Empty unless an end user carries the share. */
    externalId: p.text().primary(),
    bookedDay: p.date(),
    /** In the driver's unit. */
    measure: p.decimal().precision(40).scale(15),
    amount: p.decimal().precision(30).scale(15),
    /** Model cost that the fixed cost replaces. */
    replacedCost: p.decimal().precision(40).scale(15).default('0'),
    recordedAt: p.datetime(6).defaultRaw('now()'),
  },
  indexes: [
    { name: 'allocation_entry_booked_index', properties: ['organizationId', 'bookedDay'] },
    { name: 'allocation_entry_end_user_index', properties: ['organizationId', 'externalId', 'bookedDay'] },
  ],
});

export interface AllocationKey {
  readonly organizationId: OrganizationId;
  readonly fixedCostId: string;
  readonly day: string;
}

interface ShareRow {
  readonly carrier: Carrier;
  readonly externalId: string;
  readonly measure: string;
  readonly amount: string;
  readonly replacedCost: string;
}

const READ_SHARES = statement<ShareRow, AllocationKey>(`
  select carrier, external_id, sum(measure)::text as measure, sum(amount)::text as amount, sum(replaced_cost)::text as replaced_cost
  from allocation_entry where organization_id = :organizationId and fixed_cost_id = :fixedCostId and day = :day::date
  group by 1, 2 having sum(measure) <> 0 or sum(amount) <> 0 or sum(replaced_cost) <> 0`);

/** The booked shares of a day: the sums over all revisions. */
export async function readShares(tx: Transaction, key: AllocationKey): Promise<DayShare[]> {
  const rows = await tx.all(READ_SHARES, key);
  return rows.map((row) => ({
    ...row,
    measure: amount(row.measure),
    amount: amount(row.amount),
    replacedCost: amount(row.replacedCost),
  }));
}

const COLUMNS =
  ':carriers::text[], :externalIds::text[], :measures::numeric[], :amounts::numeric[], :replacedCosts::numeric[]';

const INSERT_ENTRIES = inEachForm((form) =>
  statement<
    object,
    Omit<AllocationKey, 'organizationId'> & {
      readonly organization: string;
      readonly revision: number;
      readonly bookedDay: string;
      readonly carriers: readonly string[];
      readonly externalIds: readonly string[];
      readonly measures: readonly string[];
      readonly amounts: readonly string[];
      readonly replacedCosts: readonly string[];
    }
  >(`
  insert into allocation_entry (fixed_cost_id, day, revision, booked_day, organization_id, carrier, external_id, measure, amount,
    replaced_cost)
  select :fixedCostId::uuid, :day::date, :revision::int, :bookedDay::date, ${organizationRows(form, COLUMNS)}`),
);

export async function insertAllocationEntries(
  tx: WriteTransaction,
  { organizationId, fixedCostId, day }: AllocationKey,
  {
    revision,
    bookedDay,
    shares,
  }: {
    readonly revision: number;
    readonly bookedDay: string;
    readonly shares: readonly DayShare[];
  },
): Promise<void> {
  if (shares.length === 0) return;
  await ensureHome(tx, organizationId);
  await tx.run(INSERT_ENTRIES[formOf(tx, [{ organizationId, items: shares }])], {
    organization: organizationId,
    fixedCostId,
    day,
    revision,
    bookedDay,
    carriers: shares.map(({ carrier }) => carrier),
    externalIds: shares.map(({ externalId }) => externalId),
    measures: shares.map(({ measure }) => plain(measure)),
    amounts: shares.map((share) => plain(share.amount)),
    replacedCosts: shares.map(({ replacedCost }) => plain(replacedCost)),
  });
}

/** The pseudonym may already have rows, if a day was allocated during the erasure. */
const RENAME_END_USER = statement<
  object,
  { readonly organizationId: OrganizationId; readonly externalId: string; readonly pseudonym: string }
>(`
  with renamed as (
    delete from allocation_entry where organization_id = :organizationId and external_id = :externalId and carrier = 'end_user' returning *
  )
  insert into allocation_entry as entry (organization_id, fixed_cost_id, day, revision, carrier, external_id, booked_day, measure, amount,
    replaced_cost, recorded_at)
  select organization_id, fixed_cost_id, day, revision, carrier, :pseudonym, booked_day, measure, amount, replaced_cost, recorded_at
  from renamed
  on conflict (organization_id, fixed_cost_id, day, revision, carrier, external_id) do update
    set measure = entry.measure + excluded.measure, amount = entry.amount + excluded.amount,
      replaced_cost = entry.replaced_cost + excluded.replaced_cost`);

export async function renameEndUser(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  externalId: string,
  pseudonym: string,
): Promise<void> {
  await tx.run(RENAME_END_USER, { organizationId, externalId, pseudonym });
}
