select day, end_user as customer, cost, events
from {{ source('attribution', 'cost_day') }}
