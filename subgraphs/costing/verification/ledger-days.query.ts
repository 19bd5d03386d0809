/** What the ledger holds by organization and UTC day, in bounded pieces: what a follower's facts are compared with. */
import type { LedgerDay, LedgerDaySums } from '../../../schema/ledger-days.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query, queryOne } from '../../../platform/database/sql.ts';
import { COST_COLUMNS } from '../ledger/cost-entry.table.ts';

/** Of one page: rows of the hour counters, and days that it may give. */
const HOURS_PER_PAGE = 5_000;
const DAYS_PER_PAGE = 500;

/** Days of the entries of transactions from `since` on that have ended, in order; `next` is where to go on. */
export async function findChangedDays(
  em: EntityManager,
  since: string | null,
  entriesMax: number,
): Promise<{ days: LedgerDay[]; next: string; more: boolean }> {
  const { horizon } = await queryOne<{ horizon: string }>(
    em,
    'select pg_snapshot_xmin(pg_current_snapshot())::text as horizon',
  );
  // After a restore from elsewhere a place may lie ahead of this server: then it begins where the server stands.
  if (since === null || BigInt(since) > BigInt(horizon)) return { days: [], next: horizon, more: false };
  const rows = await query<LedgerDay & { xid: string; entries: number }>(
    em,
    `
    select organization_id, (event_time at time zone 'UTC')::date::text as day, max(xid::text::numeric)::text as xid, count(*)::int as entries
    from (
      select organization_id, event_time, xid from cost_entry
      where xid >= $1::text::xid8 and xid < $2::text::xid8 and livemode order by xid limit $3) changed
    group by 1, 2 order by 1, 2`,
    [since, horizon, entriesMax],
  );
  const entries = rows.reduce((total, row) => total + row.entries, 0);
  const last = rows.reduce((latest, { xid }) => (BigInt(xid) > latest ? BigInt(xid) : latest), 0n);
  const days = rows.map(({ organizationId, day }) => ({ organizationId, day }));
  if (entries < entriesMax) return { days, next: horizon, more: false };
  // The last transaction may not be whole: it is read again, unless the page holds nothing else.
  return { days, next: String(last > BigInt(since) ? last : last + 1n), more: true };
}

/** The next days that have hour counters, until they hold about `eventsMax` events; `through` null: there is nothing behind them. */
export async function findLedgerDays(
  em: EntityManager,
  organizationId: string | null,
  after: LedgerDay | null,
  eventsMax: number,
): Promise<{ days: LedgerDay[]; through: LedgerDay | null; events: number }> {
  const rows = await query<LedgerDay & { events: number; hours: number }>(
    em,
    `
    select organization_id, (hour at time zone 'UTC')::date::text as day, sum(completed)::float8 as events, count(*)::int as hours
    from (
      select organization_id, hour, completed from cost_hour
      where ($1::uuid is null or organization_id = $1)
        and (organization_id, hour) >= (coalesce($2::uuid, $1, '00000000-0000-0000-0000-000000000000'),
          coalesce(($3::date + 1)::timestamp at time zone 'UTC', '-infinity'))
      order by organization_id, hour limit ${HOURS_PER_PAGE}) h
    group by 1, 2 order by 1, 2`,
    [organizationId, after?.organizationId ?? null, after?.day ?? null],
  );
  const isWhole = rows.reduce((total, { hours }) => total + hours, 0) < HOURS_PER_PAGE;
  // Of the last day hours may be missing.
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

/** Of each day, in order, from one snapshot. */
export function sumLedgerDays(em: EntityManager, days: readonly LedgerDay[]): Promise<LedgerDaySums[]> {
  const sums = COST_COLUMNS.map(({ name }) => `trim_scale(coalesce(sum(c.${name}), 0))::text as ${name}`).join(', ');
  return query<LedgerDaySums>(
    em,
    `
    select d.organization_id, d.day::text, s.*, h.* from unnest($1::uuid[], $2::date[]) as d (organization_id, day)
    cross join lateral (
      select count(*)::float8 as entries, count(*) filter (where c.sequence = 0)::float8 as event_count, ${sums},
        coalesce(sum(e.input_tokens) filter (where c.sequence = 0), 0)::text as input_tokens,
        coalesce(sum(e.output_tokens) filter (where c.sequence = 0), 0)::text as output_tokens,
        count(distinct e.end_user_external_id) filter (where c.sequence = 0)::float8 as end_users
      from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
      where c.organization_id = d.organization_id and c.livemode
        and c.event_time >= d.day::timestamp at time zone 'UTC' and c.event_time < (d.day + 1)::timestamp at time zone 'UTC') s
    cross join lateral (
      select coalesce(sum(h.completed), 0)::float8 as counted_events, trim_scale(coalesce(sum(h.total_cost), 0))::text as counted_cost
      from cost_hour h where h.organization_id = d.organization_id
        and h.hour >= d.day::timestamp at time zone 'UTC' and h.hour < (d.day + 1)::timestamp at time zone 'UTC') h
    order by 1, 2`,
    [days.map(({ organizationId }) => organizationId), days.map(({ day }) => day)],
  );
}

/** Behind everything that this transaction can see. */
export async function readSnapshot(em: EntityManager): Promise<string> {
  const { snapshot } = await queryOne<{ snapshot: string }>(
    em,
    'select pg_snapshot_xmax(pg_current_snapshot())::text as snapshot',
  );
  return snapshot;
}

/** Whether a follower has made everything its own that was published before a snapshot. */
export async function isReached(em: EntityManager, follower: string, snapshot: string): Promise<boolean> {
  const { reached } = await queryOne<{ reached: boolean }>(
    em,
    `
    select not exists (select from feed_follower where name = $1 and replaying)
      and not exists (
        select from priced_batch b where b.xid < $2::text::xid8 and not exists (
          select from feed_follower f where f.name = $1 and (b.xid, b.id) <= (f.xid, f.batch_id))) as reached`,
    [follower, snapshot],
  );
  return reached;
}
