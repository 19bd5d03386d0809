select of_customers.cost as cost_of_customers, of_models.cost as cost_of_models
from (select sum(cost) as cost from {{ ref('customer_margins_monthly') }}) as of_customers
cross join (select sum(cost) as cost from {{ ref('model_costs_monthly') }}) as of_models
where of_customers.cost <> of_models.cost
