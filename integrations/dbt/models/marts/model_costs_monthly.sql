select
  cast(date_trunc('month', day) as date) as month,
  provider,
  model,
  sum(cost) as cost,
  sum(list_amount) as list_cost,
  sum(case when unit = 'token' then quantity else 0 end) as tokens
from {{ ref('stg_books__charges') }}
group by 1, 2, 3
