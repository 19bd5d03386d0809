/**
 * Cost of a commitment's models on a settled day, and the state of the ledger it was read from. Can be read again at
 * any time.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { amount, plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { REPLACING, replacedScopes } from '../fixed-costs/replaced-calls.ts';
import type { Commitment } from './commitment.ts';
import { HISTORY_DAYS } from './forecast-period.ts';
import type { SpentDay } from './fulfil-commitment.ts';

export const CommitmentDayTable = defineEntity({
  name: 'CommitmentDay',
  tableName: 'commitment_day',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    commitmentId: p.uuid().primary(),
    day: p.date().primary(),
    /** Provider and models whose costs were read. */
    providerSlug: p.text(),
    models: p.array().nullable(),
    spent: p.decimal().precision(30).scale(15),
    /** Hour counters of the day when its costs were read. */
    ledgerEvents: p.bigint(),
    ledgerCost: p.decimal().precision(40).scale(15),
    ledgerQuantity: p.decimal().precision(40).scale(0),
    /**
     * Identifies the calls whose costs are not counted, because fixed costs replaced them at that time (see
     * `replacedScopes`).
     */
    replacedScopes: p.text().default(''),
    /** False until the entries have been computed with this day. */
    isComputed: p.boolean(),
    readAt: p.datetime(3),
  },
});

interface OpenInput {
  readonly organizationId: OrganizationId;
  /** The first day that is not settled. */
  readonly until: string;
  readonly readBefore: Date;
  readonly limit: number;
}

/** The days before a commitment begins are read too, since its forecast starts from them. */
const LIST_OPEN = statement<{ day: string; ids: readonly string[] }, OpenInput>(`
  with ${REPLACING}, due as materialized (
    select commitment.id, provider_slug, models, days.day::date as day from commitment
    cross join lateral generate_series(from_day - ${HISTORY_DAYS}, least(until_day, :until::date) - 1, interval '1 day') as days (day)
    where organization_id = :organizationId and not is_removed
  ), counted as materialized (
    select (hour at time zone 'UTC')::date as day, sum(completed) as events, sum(total_cost) as cost, sum(quantity) as quantity
    from cost_hour where organization_id = :organizationId
      and hour >= (select min(day) from due)::timestamp at time zone 'UTC' and hour < :until::timestamp at time zone 'UTC'
    group by 1
  )
  select due.day::text as day, array_agg(due.id::text) as ids from due left join counted on counted.day = due.day
  left join commitment_day stored on stored.organization_id = :organizationId and stored.commitment_id = due.id and stored.day = due.day
  where stored.day is null or stored.provider_slug <> due.provider_slug or stored.models is distinct from due.models
    or stored.replaced_scopes <> ${replacedScopes('due.day')}
    or stored.read_at <= :readBefore and (
      stored.ledger_events is distinct from coalesce(counted.events, 0)
      or stored.ledger_cost is distinct from coalesce(counted.cost, 0)
      or stored.ledger_quantity is distinct from coalesce(counted.quantity, 0))
  group by 1 order by 1 limit :limit`);

/**
 * Settled days that were not read yet, or whose counters or replaced calls have changed since, earliest first, each
 * with the commitments that count them.
 */
export function listOpenCommitmentDays(
  tx: Transaction,
  input: OpenInput,
): Promise<{ day: string; ids: readonly string[] }[]> {
  return tx.all(LIST_OPEN, input);
}

export interface ReadCommitmentDay extends SpentDay {
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
  readonly replacedScopes: string;
}

const SAVE = statement<
  object,
  Omit<ReadCommitmentDay, 'spent'> &
    Pick<Commitment, 'providerSlug' | 'models'> & {
      readonly organizationId: OrganizationId;
      readonly commitmentId: string;
      readonly spent: string;
      readonly readAt: Date;
    }
>(`
  insert into commitment_day (organization_id, commitment_id, day, provider_slug, models, spent, ledger_events, ledger_cost,
    ledger_quantity, replaced_scopes, is_computed, read_at)
  values (:organizationId, :commitmentId, :day, :providerSlug, :models::text[], :spent, :events, :cost, :quantity, :replacedScopes, false, :readAt)
  on conflict (organization_id, commitment_id, day) do update set provider_slug = excluded.provider_slug, models = excluded.models,
    spent = excluded.spent, ledger_events = excluded.ledger_events, ledger_cost = excluded.ledger_cost,
    ledger_quantity = excluded.ledger_quantity, replaced_scopes = excluded.replaced_scopes, is_computed = commitment_day.is_computed and commitment_day.spent = excluded.spent,
    read_at = excluded.read_at`);

export async function saveCommitmentDay(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { id, providerSlug, models }: Pick<Commitment, 'id' | 'providerSlug' | 'models'>,
  day: ReadCommitmentDay,
  readAt: Date,
): Promise<void> {
  const spent = plain(day.spent);
  await tx.run(SAVE, { ...day, organizationId, commitmentId: id, providerSlug, models, spent, readAt });
}

const LIST = statement<
  { commitmentId: string; day: string; spent: string },
  { readonly organizationId: OrganizationId; readonly fromDay: string | null }
>(`
  select commitment_id, day::text, spent::text from commitment_day
  where organization_id = :organizationId and (:fromDay::date is null or day >= :fromDay::date) order by day`);

/** Days by commitment, in order: all of them, or from a day on. */
export async function listCommitmentDays(
  tx: Transaction,
  organizationId: OrganizationId,
  fromDay: string | null = null,
): Promise<ReadonlyMap<string, readonly SpentDay[]>> {
  const rows = await tx.all(LIST, { organizationId, fromDay });
  return Map.groupBy(
    rows.map((row) => ({ ...row, spent: amount(row.spent) })),
    ({ commitmentId }) => commitmentId,
  );
}

const NEEDS_COMPUTING = statement<{ isDue: boolean }, { readonly organizationId: OrganizationId }>(`
  select exists (select 1 from commitment where organization_id = :organizationId and computed_revision <> revision)
    or exists (select 1 from commitment_day where organization_id = :organizationId and not is_computed) as is_due`);

/** True if commitments or days have changed since the entries were computed. */
export async function needsComputing(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.one(NEEDS_COMPUTING, { organizationId })).isDue;
}

const MARK = statement<object, { readonly organizationId: OrganizationId }>(
  'update commitment_day set is_computed = true where organization_id = :organizationId and not is_computed',
);

/** Call it after the entries were computed from all days. */
export async function markCommitmentDaysComputed(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await tx.run(MARK, { organizationId });
}
