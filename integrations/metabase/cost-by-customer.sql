-- Database: attribution
select coalesce(end_user, 'Unassigned') as customer, sum(cost) as cost, sum(events) as events
from report.cost_day
where day >= current_date - 30
group by 1
order by 2 desc
