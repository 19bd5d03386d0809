/**
 * What end users consumed on a day in the scope of a fixed cost, from the ledger. Events, tokens and units count on the
 * day of the event, costs on the day they are booked, as in every other figure. Test events do not count.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { UseOfEndUser } from './allocate-day.ts';
import { type Driver, type FixedCost, type Scope, weightsByClass } from './fixed-cost.ts';
import { dimensionOfEvent, matchesModel } from './scope-conditions.ts';

/** The hour counters of a day. If they change, so may the use. */
export interface DayCounters {
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
}

export interface UseOfDay {
  /** `2026-10-01` */
  readonly day: string;
  readonly uses: readonly (UseOfEndUser & { readonly cost: string; readonly listCost: string })[];
  readonly counters: DayCounters;
}

export interface ScopeParameters {
  readonly models: readonly string[] | null;
  readonly endUsers: readonly string[] | null;
  /** JSON: values by key. */
  readonly dimensions: string;
}

/** A scope as parameters of {@link IN_SCOPE}. */
export function scopeParameters({ models, endUsers, dimensions }: Scope): ScopeParameters {
  return {
    models,
    endUsers,
    dimensions: JSON.stringify(Object.fromEntries(dimensions.map(({ key, values }) => [key, values]))),
  };
}

interface UseInput extends ScopeParameters {
  readonly organizationId: OrganizationId;
  readonly fromDay: string;
  readonly untilDay: string;
  /** JSON: weights by wire name. */
  readonly weights: string;
  readonly unit: string | null;
}

/** A charge is an array: class, quantity and more. Corrections have the differences; a stated cost has none. */
const charges = (sum: string) => `(
  select ${sum} from json_array_elements(coalesce(entry.explanation -> 'charges', entry.explanation -> 'lines')) as charge)`;

/**
 * A charge is an array that begins with class and quantity. Corrections contain differences; stated costs have no
 * charges.
 */
const TOKENS = `coalesce(sum(case
    when not entry.counts then 0
    when entry.rate_card_id is null and entry.cause = 'priced' then
      event.input_tokens * (:weights::jsonb ->> 'input')::numeric + event.output_tokens * (:weights::jsonb ->> 'output')::numeric
    else ${charges('coalesce(sum((charge ->> 1)::numeric * (:weights::jsonb ->> (charge ->> 0))::numeric), 0)')}
  end), 0)`;

const UNITS = `coalesce(sum(case
    when not entry.counts then 0
    when :unit::text is null then case when entry.sequence = 0 then coalesce(event.units, 0) else 0 end
    else ${charges('coalesce(sum((charge ->> 1)::numeric) filter (where charge ->> 0 = :unit), 0)')}
  end), 0)`;

const EVENTS = 'count(*) filter (where entry.counts and entry.sequence = 0)';
const COST = 'coalesce(sum(entry.total_cost) filter (where entry.books), 0)';
/**
 * An entry without charges of its own has the list price; a charge states its list amount only if that differs from its
 * amount.
 */
const LIST_COST = `coalesce(sum(case when not entry.books then 0 when entry.explanation -> 'charges' is null then entry.total_cost else (
    select coalesce(sum(coalesce(charge ->> 3, charge ->> 2)::numeric), 0) from json_array_elements(entry.explanation -> 'charges') as charge) end), 0)`;

const MEASURES: Readonly<Record<Driver, string>> = {
  tokens: TOKENS,
  events: EVENTS,
  cost: COST,
  units: UNITS,
  equal: EVENTS,
  shares: EVENTS,
  none: EVENTS,
};

const IN_DAYS = (time: string) =>
  `${time} >= :fromDay::timestamp at time zone 'UTC' and ${time} < :untilDay::timestamp at time zone 'UTC'`;
const MATCHES_MODEL = `(:models::text[] is null or exists (select 1 from unnest(:models::text[]) as pattern where ${matchesModel('pattern')}))`;
/** SQL condition that is true if the `event` of an `entry` is in scope. Parameters: {@link scopeParameters}. */
export const IN_SCOPE = `${MATCHES_MODEL}
  and (:endUsers::text[] is null or event.end_user_external_id = any(:endUsers::text[]))
  and not exists (select 1 from jsonb_each(:dimensions::jsonb) as condition 
    where not condition.value ? ${dimensionOfEvent('condition.key')})`;
/** Mentions the parameters that only some drivers use, so that all statements have the same parameters. */
const ALL_PARAMETERS = `(:weights::jsonb is not null or :unit::text is not null)`;

interface UseRow {
  /** JSON. */
  readonly uses: string;
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
  readonly day: string;
}

const textOf = (measure: string) => `
  with used as materialized (
    select (entry.at at time zone 'UTC')::date as day, coalesce(event.end_user_external_id, '') as external_id,
      ${EVENTS}::float8 as events, trim_scale(${measure})::text as measure, trim_scale(${COST})::text as cost,
      trim_scale(${LIST_COST})::text as list_cost
    from (
      select organization_id, event_id, sequence, model_slug, rate_card_id, cause, explanation, total_cost, side.*
      from cost_entry cross join lateral (
        values (event_time, true, booked_time is null), (booked_time, false, true)) as side (at, counts, books)
      where organization_id = :organizationId and livemode and (${IN_DAYS('event_time')} or ${IN_DAYS('booked_time')})
        and ${IN_DAYS('side.at')}
    ) as entry
    join usage_event event on event.organization_id = entry.organization_id and event.id = entry.event_id
    where ${IN_SCOPE} and ${ALL_PARAMETERS}
    group by 1, 2
  ), counted as materialized (
    select (hour at time zone 'UTC')::date as day, sum(completed) as events, sum(total_cost) as cost, sum(quantity) as quantity
    from cost_hour where organization_id = :organizationId and ${IN_DAYS('hour')} group by 1
  )
  select days.day::date::text as day, coalesce(counted.events, 0)::float8 as events, trim_scale(coalesce(counted.cost, 0))::text as cost,
    coalesce(counted.quantity, 0)::text as quantity,
    (select coalesce(json_agg(json_build_array(external_id, events, measure, cost, list_cost)), '[]') from used where used.day = days.day::date)::text as uses
  from generate_series(:fromDay::date, :untilDay::date - 1, interval '1 day') as days (day)
  left join counted on counted.day = days.day::date
  order by 1`;

const READ_USE = Object.fromEntries(
  Object.entries(MEASURES).map(([driver, measure]) => [driver, statement<UseRow, UseInput>(textOf(measure))]),
) as Readonly<Record<Driver, ReturnType<typeof statement<UseRow, UseInput>>>>;

/**
 * Returns the days from `fromDay` up to, but not including, `untilDay`, in order. Uses one statement and thus one
 * snapshot.
 */
export async function readUse(
  tx: Transaction,
  organizationId: OrganizationId,
  { driver, unit, weights, scope }: Pick<FixedCost, 'driver' | 'unit' | 'weights' | 'scope'>,
  days: { readonly fromDay: string; readonly untilDay: string },
): Promise<UseOfDay[]> {
  const rows = await tx.all(READ_USE[driver], {
    organizationId,
    ...days,
    ...scopeParameters(scope),
    weights: JSON.stringify(weightsByClass(weights)),
    unit,
  });
  return rows.map(({ day, uses, ...counters }) => ({
    day,
    counters,
    uses: (JSON.parse(uses) as [string, number, string, string, string][]).map(
      ([externalId, events, measure, cost, listCost]) => ({
        externalId,
        events,
        measure: amount(measure),
        cost,
        listCost,
      }),
    ),
  }));
}
