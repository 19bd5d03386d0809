/**
 * Costs of some providers' models on a day, by class, from the ledger. Costs count on the day they are booked. Test
 * events do not count, nor do calls whose model cost a fixed cost replaces: the provider charges nothing else for them
 * (decision 105).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { isReplaced, REPLACING, replacedScopes } from '../fixed-costs/replaced-calls.ts';
import type { CostDay } from './selected-costs.ts';

/** Provider, model, class and cost. */
export type StoredCell = readonly [string, string, string, string];

export function toCell([provider, model, chargeClass, cost]: StoredCell): CostDay['cells'][number] {
  return { provider, model, chargeClass, cost: amount(cost) };
}

/** A day as read from the ledger, with its hour counters and the scopes of fixed costs that replace calls at that time. */
export interface ReadDay extends CostDay {
  readonly providers: readonly string[];
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
  readonly replacedScopes: string;
}

const IN_DAYS = (time: string) =>
  `${time} >= :fromDay::timestamp at time zone 'UTC' and ${time} < :untilDay::timestamp at time zone 'UTC'`;

interface DayRow {
  readonly day: string;
  readonly costs: readonly StoredCell[];
  readonly events: number;
  readonly cost: string;
  readonly quantity: string;
  readonly replacedScopes: string;
}

const BOOKED_DAY = `(coalesce(entry.booked_time, entry.event_time) at time zone 'UTC')::date`;

/**
 * A charge is an array: class, quantity, cost. A line of an explanation has its cost at another index. A stated cost
 * has no charges.
 */
const READ_DAYS = statement<
  DayRow,
  {
    readonly organizationId: OrganizationId;
    readonly fromDay: string;
    readonly untilDay: string;
    readonly providers: readonly string[];
  }
>(`
  with ${REPLACING}, cell as materialized (
    select ${BOOKED_DAY} as day, entry.provider_slug as provider,
      lower(coalesce(line.value ->> 6, entry.model_slug)) as model, coalesce(line.value ->> 0, 'override') as class,
      sum(case when line.value is null then entry.total_cost when entry.explanation -> 'charges' is null then (line.value ->> 4)::numeric
        else (line.value ->> 2)::numeric end) as cost
    from cost_entry entry
    left join lateral json_array_elements(coalesce(entry.explanation -> 'charges', entry.explanation -> 'lines')) as line (value) on true
    where entry.organization_id = :organizationId and entry.livemode and entry.provider_slug = any(:providers::text[])
      and (entry.booked_time is null and ${IN_DAYS('entry.event_time')} or ${IN_DAYS('entry.booked_time')})
      and not ${isReplaced(BOOKED_DAY)}
    group by 1, 2, 3, 4 having sum(case when line.value is null then entry.total_cost when entry.explanation -> 'charges' is null
      then (line.value ->> 4)::numeric else (line.value ->> 2)::numeric end) <> 0
  ), counted as materialized (
    select (hour at time zone 'UTC')::date as day, sum(completed) as events, sum(total_cost) as cost, sum(quantity) as quantity
    from cost_hour where organization_id = :organizationId and ${IN_DAYS('hour')} group by 1
  )
  select days.day::date::text as day, coalesce(counted.events, 0)::float8 as events, trim_scale(coalesce(counted.cost, 0))::text as cost,
    coalesce(counted.quantity, 0)::text as quantity, ${replacedScopes('days.day::date')} as replaced_scopes,
    (select coalesce(jsonb_agg(jsonb_build_array(provider, model, class, trim_scale(cell.cost)::text) order by provider collate "C", model collate "C", class collate "C"), '[]')
      from cell where cell.day = days.day::date) as costs
  from generate_series(:fromDay::date, :untilDay::date - 1, interval '1 day') as days (day)
  left join counted on counted.day = days.day::date
  order by 1`);

/** Returns the days from `fromDay` up to, but not including, `untilDay`. Uses one statement and thus one snapshot. */
export async function readDayCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  providers: readonly string[],
  days: { readonly fromDay: string; readonly untilDay: string },
): Promise<ReadDay[]> {
  const rows = await tx.all(READ_DAYS, { organizationId, ...days, providers });
  return rows.map(({ costs, ...row }) => ({ ...row, providers, cells: costs.map(toCell) }));
}
