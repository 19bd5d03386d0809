/**
 * Duration of the margin read over all end users and a year, compared with the two aggregate statements that it needs.
 */
import { Pool } from 'undici';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { type FilledOrganization, openFilledOrganization } from './read/filled-organization.ts';
import { loadRevenue } from './read/load-revenue.ts';
import { connectDatabase } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Report } from './support/report.ts';
import { median, spread } from './support/statistics.ts';
import { END_USER_SHARES } from './workload/customer.ts';

/**
 * The yardstick of margin: cost and recognized revenue of each end user in a window, with one bare statement each.
 *
 * Parameters: organization, start, end. Reads whole months and days from the rollups, and facts for the rest.
 */
const COSTS = `
  with bounds as (
    select $2::timestamptz as start, date_trunc('day', $2::timestamptz, 'UTC') + interval '1 day' as first_day,
      date_trunc('month', $2::timestamptz, 'UTC') + interval '1 month' as first_month,
      date_trunc('month', $3::timestamptz, 'UTC') as last_month, date_trunc('day', $3::timestamptz, 'UTC') as last_day, $3::timestamptz as "end"
  )
  select end_user_id, sum(total_cost) as cost, sum(events) as events from (
    select end_user_id, total_cost, 1 as events from cost_fact, bounds
    where organization_id = $1 and (event_time >= start and event_time < first_day)
    union all
    select end_user_id, total_cost, 1 from cost_fact, bounds
    where organization_id = $1 and (event_time >= last_day and event_time < "end")
    union all
    select end_user_id, total_cost, event_count from end_user_day, bounds
    where organization_id = $1 and bucket >= first_day and bucket < first_month
    union all
    select end_user_id, total_cost, event_count from end_user_day, bounds
    where organization_id = $1 and bucket >= last_month and bucket < last_day
    union all
    select end_user_id, total_cost, event_count from end_user_month, bounds
    where organization_id = $1 and bucket >= first_month and bucket < last_month
  ) as part group by 1`;

const REVENUE = `
  select coalesce(linked_external_id, metadata_external_id) as external_id, count(*) as records, sum(case
    when period_start >= $2 and period_end <= $3 then amount
    else round(amount * extract(epoch from least(period_end, $3) - greatest(period_start, $2))
      / extract(epoch from period_end - period_start), 15) end) as revenue
  from revenue_record as record join customer on customer.organization_id = record.organization_id and customer.id = customer_id
  where record.organization_id = $1 and currency = 'usd' and period_start < $3 and period_end > $2
  group by 1`;

const END_USERS = END_USER_SHARES.length;
const EVENTS = 500_000;
const DAYS = 380;
const MONTHS = 12;
const REQUESTS_PER_ROUND = 3;
/** Makes the range begin and end in the middle of an hour and of a month. */
const ODD_MILLISECONDS = 1_234_567;

export async function measureMargin({ rounds, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ days: DAYS, progress });
  const { service, organizationId } = organization;
  const { client: revenue } = await connectDatabase(service.dataDirectory, 'revenue');
  await organization.growTo(EVENTS);
  const end = new Date(organization.end.getTime() - ODD_MILLISECONDS);
  const start = new Date(end);
  start.setUTCMonth(start.getUTCMonth() - MONTHS);
  await loadRevenue(revenue, organizationId, { customers: END_USERS, first: start, months: MONTHS });

  const ours: number[] = [];
  const bare: number[] = [];
  const pool = new Pool(service.url, { connections: 1 });
  const {
    end_users: { length: endUsers },
  } = JSON.parse(await send(organization, pool, start, end)) as { end_users: unknown[] };
  const parameters = [organizationId, start.toISOString(), end.toISOString()];
  for (let round = 1; round <= rounds; round++) {
    for (let request = 0; request < REQUESTS_PER_ROUND; request++) {
      ours.push(await took(() => send(organization, pool, start, end)));
      bare.push(
        (await took(() => organization.attribution.query(COSTS, parameters))) +
          (await took(() => revenue.query(REVENUE, parameters))),
      );
    }
    progress(
      `margin ${round}/${rounds}: ${Math.round(ours.at(-1) ?? 0)} ms, the statements ${Math.round(bare.at(-1) ?? 0)} ms`,
    );
  }
  await pool.close();
  const memory = residentMegabytes(service.pid);
  await organization.stop();
  const ratios = ours.map((milliseconds, index) => milliseconds / (bare[index] ?? NaN));
  return {
    benchmark: 'margin',
    figures: [
      { name: 'relative to the yardstick', value: median(ratios), unit: 'times', spread: spread(ratios), atMost: 1.5 },
      { name: 'margin by end user', value: median(ours), unit: 'ms', spread: spread(ours) },
      { name: 'the two statements', value: median(bare), unit: 'ms', spread: spread(bare) },
      { name: 'memory of the service afterwards', value: memory, unit: 'MB' },
    ],
    notes: [
      `${endUsers} end users over ${MONTHS} months, ${EVENTS} events, ${END_USERS * MONTHS} revenue records; the whole response over HTTP.`,
    ],
  };
}

async function send({ readKey }: FilledOrganization, pool: Pool, start: Date, end: Date): Promise<string> {
  const path = `/v1/margin-data/by-end-user?start_date=${start.toISOString()}&end_date=${end.toISOString()}`;
  const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${readKey}` } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`Margin answered ${answer.statusCode}: ${text.slice(0, 300)}`);
  return text;
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const started = elapsedMilliseconds();
  await work();
  return elapsedMilliseconds() - started;
}
