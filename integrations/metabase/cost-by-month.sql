-- Database: attribution
select date_trunc('month', day)::date as month, sum(effective_amount) as cost, sum(list_amount) as list_cost
from report.charge_day
group by 1
order by 1
