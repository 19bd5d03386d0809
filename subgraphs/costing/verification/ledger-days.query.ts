/** Ledger totals by organization and UTC day, in bounded pages, for comparison with a consumer's facts. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { LedgerDay, LedgerDaySums } from '#schema/ledger-days.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byDays, type DaysInput, daysInput, statementsOf } from '#platform/database/nodes/organization-rows.ts';
import { statement } from '#platform/database/statement.ts';
import { replacedCounts } from '../feed/entry-tokens.ts';
import { COST_COLUMNS } from '../ledger/cost-entry.table.ts';

/** The rows of hour counters that a page reads, and the days that it returns. */
const HOURS_PER_PAGE = 5_000;
const DAYS_PER_PAGE = 500;

interface LedgerDaysInput {
  readonly organizationId: OrganizationId | null;
  readonly afterOrganization: string | null;
  readonly afterDay: string | null;
}

const FIND_LEDGER_DAYS = statement<LedgerDay & { events: number; hours: number }, LedgerDaysInput>(`
  select organization_id, (hour at time zone 'UTC')::date::text as day, sum(completed)::float8 as events, count(*)::int as hours
  from (
    select organization_id, hour, completed from cost_hour
    where (:organizationId::uuid is null or organization_id = :organizationId)
      and (organization_id, hour) >= (coalesce(:afterOrganization::uuid, :organizationId, '00000000-0000-0000-0000-000000000000'),
        coalesce((:afterDay::date + 1)::timestamp at time zone 'UTC', '-infinity'))
    order by organization_id, hour limit ${HOURS_PER_PAGE}) h
  group by 1, 2 order by 1, 2`);

/**
 * The next days with hour counters, until they contain about `eventsMax` events; `through` is null if there are no
 * more.
 */
export async function findLedgerDays(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  after: LedgerDay | null,
  eventsMax: number,
): Promise<{ days: LedgerDay[]; through: LedgerDay | null; events: number }> {
  const rows = await tx.all(FIND_LEDGER_DAYS, {
    organizationId,
    afterOrganization: after?.organizationId ?? null,
    afterDay: after?.day ?? null,
  });
  const isWhole = rows.reduce((total, { hours }) => total + hours, 0) < HOURS_PER_PAGE;
  // Hours of the last day may be missing.
  const known = isWhole ? rows : rows.slice(0, -1);
  let events = 0;
  const taken = known.filter((row, index) => {
    const fits = index === 0 || (index < DAYS_PER_PAGE && events < eventsMax);
    if (fits) events += row.events;
    return fits;
  });
  const days = taken.map(({ organizationId: of, day }) => ({ organizationId: of, day }));
  return { days, through: isWhole && taken.length === known.length ? null : (days.at(-1) ?? null), events };
}

const inDay = (time: string) =>
  `${time} >= d.day::timestamp at time zone 'UTC' and ${time} < (d.day + 1)::timestamp at time zone 'UTC'`;
/**
 * Counted as in the facts: the first report's tokens with the event's first entry, differences with the corrections.
 */
const tokens = (property: string, column: string) => `
  coalesce(sum(case when c.sequence = 0 then coalesce((replaced.counts -> 'before' ->> '${property}')::bigint, e.${column})
    else (replaced.counts -> 'after' ->> '${property}')::bigint - (replaced.counts -> 'before' ->> '${property}')::bigint end) filter (where side.counts), 0)::text as ${column}`;

const SUMS = COST_COLUMNS.map(
  ({ name }) => `trim_scale(coalesce(sum(c.${name}) filter (where side.costs), 0))::text as ${name}`,
).join(', ');

const SUM_DAYS = statement<Omit<LedgerDaySums, 'head'>, DaysInput>(
  byDays(
    ({ days, organization }) => `
    select d.organization_id, d.day::text, s.*, h.* from ${days}
    cross join lateral (
      select count(*)::float8 as entries, count(*) filter (where side.counts and c.sequence = 0)::float8 as event_count, ${SUMS},
        ${tokens('inputTokens', 'input_tokens')}, ${tokens('outputTokens', 'output_tokens')},
        count(distinct e.end_user_external_id) filter (where side.counts and c.sequence = 0)::float8 as end_users
      from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
      cross join lateral (select ${replacedCounts(organization)} as counts) replaced
      cross join lateral (
        values (c.event_time, c.sequence = 0 or replaced.counts is not null, c.booked_time is null),
          (c.booked_time, false, true)) as side (at, counts, costs)
      where c.organization_id = ${organization} and c.livemode
        and (${inDay('c.event_time')} or ${inDay('c.booked_time')}) and ${inDay('side.at')} and (side.counts or side.costs)) s
    cross join lateral (
      select coalesce(sum(h.completed), 0)::float8 as counted_events, trim_scale(coalesce(sum(h.total_cost), 0))::text as counted_cost
      from cost_hour h where h.organization_id = ${organization}
        and ${inDay('h.hour')}) h
    order by 1, 2`,
  ),
);

/**
 * Ledger totals per day, in order, from one snapshot. Events count at their own time and costs on the day they were
 * booked, as in the facts.
 */
export async function sumLedgerDays(
  tx: WriteTransaction,
  days: readonly LedgerDay[],
): Promise<Omit<LedgerDaySums, 'head'>[]> {
  const sums: Omit<LedgerDaySums, 'head'>[] = [];
  for (const some of statementsOf(tx, days)) sums.push(...(await tx.all(SUM_DAYS, daysInput(some))));
  return sums;
}

const READ_HEADS = statement<
  { organizationId: OrganizationId; head: number },
  { readonly organizationIds: readonly OrganizationId[] }
>(
  'select organization_id, number::float8 as head from feed_head where organization_id = any(:organizationIds::uuid[])',
);

/**
 * The number of the last batch of each organization's feed. That batch, or an earlier one, contains everything
 * committed before.
 */
export function readHeads(
  tx: WriteTransaction,
  organizationIds: readonly OrganizationId[],
): Promise<{ organizationId: OrganizationId; head: number }[]> {
  return tx.all(READ_HEADS, { organizationIds });
}
