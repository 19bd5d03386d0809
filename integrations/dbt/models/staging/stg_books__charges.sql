select day, provider, model, context, class, unit, quantity, list_amount, effective_amount as cost, events
from {{ source('attribution', 'charge_day') }}
