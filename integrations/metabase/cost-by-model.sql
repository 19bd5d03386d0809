-- Database: attribution
select provider, model, sum(effective_amount) as cost, sum(quantity) filter (where unit = 'token') as tokens
from report.charge_day
where day >= current_date - 30
group by 1, 2
order by 3 desc
