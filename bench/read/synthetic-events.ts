/**
 * Rows that costing and attribution each write for themselves and that still match: every value is computed from the
 * event's number. Events are spread evenly over the days, in time order as in production, so neighbours in time are
 * neighbours on disk.
 */

export const END_USER_PREFIX = 'customer-';

/** Parameters of `SYNTHETIC_EVENTS`, in order: some events of a layer that is spread over all days. */
export type SyntheticSpan = readonly [
  organizationId: string,
  /** Event numbers: after the first, up to and including the second. */
  after: number,
  upTo: number,
  /** The layer that contains the events. */
  layerAfter: number,
  layerUpTo: number,
  /** Latest event time, ISO 8601. */
  latest: string,
  days: number,
  endUsers: number,
];

/** A subquery for the events of a span. */
export const SYNTHETIC_EVENTS = `(
  select priced.*, $1::uuid as organization_id,
    (substr(millisecond, 1, 12) || '7' || substr(digest, 1, 3) || '8' || substr(digest, 4, 15))::uuid as id,
    input_tokens * input_rate / 1000000 as input_cost, output_tokens * output_rate / 1000000 as output_cost,
    cache_read_input_tokens * cache_rate / 1000000 as cache_read_cost
  from (
    select numbered.*, model.*,
      lpad(to_hex((extract(epoch from event_time) * 1000)::bigint), 12, '0') as millisecond, md5('event ' || n) as digest,
      200 + scattered % 4000 as input_tokens, 20 + scattered % 900 as output_tokens, scattered % 200 as cache_read_input_tokens,
      '${END_USER_PREFIX}' || (scattered >> 4) % $8::bigint as end_user,
      'agent-' || (scattered >> 7) % 40 as agent_id,
      (array['chat', 'search', 'summary', 'translate', 'review', 'support', 'draft', 'classify', 'extract', 'plan', 'code', 'voice'])
        [1 + (scattered >> 3) % 12] as feature,
      (array['growth', 'core', 'labs', 'sales', 'care'])[1 + (scattered >> 5) % 5] as team,
      (array['eu-central', 'us-east', 'ap-south', 'sa-east'])[1 + (scattered >> 9) % 4] as region
    from (
      select n, (n * 2654435761) % 4294967296 as scattered,
        $6::timestamptz - interval '1 day' * $7::float8 * (1 - (n - $4::bigint)::float8 / ($5::bigint - $4::bigint)) as event_time
      from generate_series($2::bigint + 1, $3::bigint) as n
    ) as numbered
    join (values
      (0, 'gpt-4o', 'openai', 2.5, 10, 1.25), (1, 'gpt-4o-mini', 'openai', 0.15, 0.6, 0.075),
      (2, 'claude-3-5-sonnet-20241022', 'anthropic', 3, 15, 0.3), (3, 'claude-3-5-haiku-20241022', 'anthropic', 0.8, 4, 0.08),
      (4, 'gemini-2.0-flash', 'google', 0.1, 0.4, 0.025)
    ) as model (place, model, provider, input_rate, output_rate, cache_rate) on place = scattered % 5
  ) as priced
)`;
