/**
 * Cost, by model and class, of the days on which credits are in force, and the state of the ledger it was read from.
 * Can be read again at any time.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { REPLACING, replacedScopes } from '../fixed-costs/replaced-calls.ts';
import { type ReadDay, type StoredCell, toCell } from '../provider-costs/day-costs.query.ts';
import type { CostDay } from '../provider-costs/selected-costs.ts';

export const ProviderCreditDayTable = defineEntity({
  name: 'ProviderCreditDay',
  tableName: 'provider_credit_day',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    day: p.date().primary(),
    /** The providers whose costs are stored. */
    providers: p.array(),
    costs: p.json<readonly StoredCell[]>(),
    /** Hour counters of the day when its costs were read. */
    ledgerEvents: p.bigint(),
    ledgerCost: p.decimal().precision(40).scale(15),
    ledgerQuantity: p.decimal().precision(40).scale(0),
    /**
     * Identifies the calls whose costs are not counted, because fixed costs replaced them at that time (see
     * `replacedScopes`).
     */
    replacedScopes: p.text().default(''),
    /** False until the entries of credits have been computed with this day. */
    isBurnt: p.boolean(),
    readAt: p.datetime(3),
  },
});

const OPEN = `
  with ${REPLACING}, provider as materialized (
    select coalesce(array_agg(distinct provider_slug), '{}') as slugs from provider_credit
    where organization_id = :organizationId and not is_removed
  ), due as materialized (
    select distinct days.day::date as day from provider_credit credit
    cross join lateral generate_series(credit.from_day, least(credit.until_day, :until::date) - 1, interval '1 day') as days (day)
    where credit.organization_id = :organizationId and not credit.is_removed
  ), counted as materialized (
    select (hour at time zone 'UTC')::date as day, sum(completed) as events, sum(total_cost) as cost, sum(quantity) as quantity
    from cost_hour where organization_id = :organizationId
      and hour >= (select min(day) from due)::timestamp at time zone 'UTC' and hour < :until::timestamp at time zone 'UTC'
    group by 1
  )`;

const LIST_OPEN_DAYS = statement<
  { day: string },
  { readonly organizationId: OrganizationId; readonly until: string; readonly readBefore: Date; readonly limit: number }
>(`${OPEN}
  select due.day::text as day from due cross join provider left join counted on counted.day = due.day
  left join provider_credit_day stored on stored.organization_id = :organizationId and stored.day = due.day
  where stored.day is null or not stored.providers @> provider.slugs
    or stored.replaced_scopes <> ${replacedScopes('due.day')}
    or stored.read_at <= :readBefore and (
      stored.ledger_events is distinct from coalesce(counted.events, 0)
      or stored.ledger_cost is distinct from coalesce(counted.cost, 0)
      or stored.ledger_quantity is distinct from coalesce(counted.quantity, 0))
  order by 1 limit :limit`);

/**
 * Settled days on which a credit is in force and that were not read yet, or whose counters or replaced calls have
 * changed since, earliest first.
 */
export async function listOpenDays(
  tx: Transaction,
  input: {
    readonly organizationId: OrganizationId;
    readonly until: string;
    readonly readBefore: Date;
    readonly limit: number;
  },
): Promise<string[]> {
  return (await tx.all(LIST_OPEN_DAYS, input)).map(({ day }) => day);
}

const SAVE_DAY = statement<
  object,
  Omit<ReadDay, 'cells'> & { readonly organizationId: OrganizationId; readonly costs: string; readonly readAt: Date }
>(`
  insert into provider_credit_day (organization_id, day, providers, costs, ledger_events, ledger_cost, ledger_quantity, replaced_scopes, is_burnt, read_at)
  values (:organizationId, :day, :providers::text[], :costs::jsonb, :events, :cost, :quantity, :replacedScopes, false, :readAt)
  on conflict (organization_id, day) do update set providers = excluded.providers, costs = excluded.costs,
    ledger_events = excluded.ledger_events, ledger_cost = excluded.ledger_cost, ledger_quantity = excluded.ledger_quantity,
    replaced_scopes = excluded.replaced_scopes, is_burnt = provider_credit_day.is_burnt and provider_credit_day.costs = excluded.costs, read_at = excluded.read_at`);

export async function saveCreditDay(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { cells, ...day }: ReadDay,
  readAt: Date,
): Promise<void> {
  const costs = cells.map((cell): StoredCell => [cell.provider, cell.model, cell.chargeClass, plain(cell.cost)]);
  await tx.run(SAVE_DAY, { ...day, organizationId, costs: JSON.stringify(costs), readAt });
}

const LIST_DAYS = statement<
  { day: string; costs: readonly StoredCell[] },
  { readonly organizationId: OrganizationId; readonly from: string | null }
>(`
  select day::text, costs from provider_credit_day
  where organization_id = :organizationId and (:from::date is null or day >= :from::date) order by day`);

/** Days in order: all of them, or from a given day on. */
export async function listCreditDays(
  tx: Transaction,
  organizationId: OrganizationId,
  from: string | null = null,
): Promise<CostDay[]> {
  const rows = await tx.all(LIST_DAYS, { organizationId, from });
  return rows.map(({ day, costs }) => ({ day, cells: costs.map(toCell) }));
}

const NEEDS_BURN = statement<{ isDue: boolean }, { readonly organizationId: OrganizationId }>(`
  select exists (select 1 from provider_credit where organization_id = :organizationId and burnt_revision <> revision)
    or exists (select 1 from provider_credit_day where organization_id = :organizationId and not is_burnt) as is_due`);

/** True if credits or days have changed since the entries were computed. */
export async function needsBurn(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.one(NEEDS_BURN, { organizationId })).isDue;
}

const MARK_DAYS = statement<object, { readonly organizationId: OrganizationId }>(
  'update provider_credit_day set is_burnt = true where organization_id = :organizationId and not is_burnt',
);

/** Call it after the entries of credits were computed from all days. */
export async function markDaysBurnt(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK_DAYS, { organizationId });
}
