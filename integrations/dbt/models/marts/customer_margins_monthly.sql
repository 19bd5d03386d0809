with amounts as (
  select day, customer, cast(0 as decimal(38, 15)) as revenue, cost from {{ ref('stg_books__customer_costs') }}
  union all
  select day, customer, revenue, cast(0 as decimal(38, 15)) as cost from {{ ref('stg_books__revenue') }}
)

select
  cast(date_trunc('month', day) as date) as month,
  coalesce(customer, '') as customer,
  sum(revenue) as revenue,
  sum(cost) as cost,
  sum(revenue) - sum(cost) as margin
from amounts
group by 1, 2
