select month, customer, count(*) as row_count
from {{ ref('customer_margins_monthly') }}
group by 1, 2
having count(*) > 1
