select day, end_user as customer, recognized as revenue
from {{ source('revenue', 'revenue_day') }}
