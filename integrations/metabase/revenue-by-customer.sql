-- Database: revenue
select coalesce(name, customer, 'Without a customer') as customer, end_user, sum(recognized) as revenue
from report.revenue_day
where day >= current_date - 30
group by 1, 2
order by 3 desc
