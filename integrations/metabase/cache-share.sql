-- Database: attribution
select day, round(100 * coalesce(sum(quantity) filter (where class = 'cache_read'), 0) / sum(quantity), 1) as cached_percent
from report.charge_day
where unit = 'token' and class in ('input', 'cache_read', 'cache_creation', 'cache_creation_1h')
group by 1
having sum(quantity) > 0
order by 1
