/** The yardstick of margin: what a window costs and recognizes for each end user, one bare statement each. */

/** Parameters: organization, start, end. Months and days where they are whole, facts where they are not. */
export const COSTS = `
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

export const REVENUE = `
  select coalesce(linked_external_id, metadata_external_id) as external_id, count(*) as records, sum(case
    when period_start >= $2 and period_end <= $3 then amount
    else round(amount * extract(epoch from least(period_end, $3) - greatest(period_start, $2))
      / extract(epoch from period_end - period_start), 15) end) as revenue
  from revenue_record as record join customer on customer.organization_id = record.organization_id and customer.id = customer_id
  where record.organization_id = $1 and currency = 'usd' and period_start < $3 and period_end > $2
  group by 1`;
