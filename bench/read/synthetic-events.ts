/**
 * Events of the workload `history` as SQL, for rows that costing and attribution each write for themselves and that
 * still match: every value is computed from the event's number. A load is in time order, so neighbours in time are
 * neighbours on disk.
 */
import {
  AGENT_PREFIX,
  AGENT_SHARES,
  CACHED_SHARE,
  CUSTOMER_MODELS,
  DIMENSIONS,
  END_USER_PREFIX,
  END_USER_SHARES,
  EXPERIMENT_SHARE,
  FEATURES,
  LAST_DAY_SHARE,
  NUMBERS_PER_SESSION,
  RELEASES,
  SESSION_SHARE,
} from '../workload/customer.ts';

/** Some events of a load that is spread over all days. */
export interface SyntheticSpan {
  readonly organizationId: string;
  /** Event numbers: after the first, up to and including the second. */
  readonly after: number;
  readonly upTo: number;
  /** The load that contains the events. */
  readonly loadAfter: number;
  readonly loadUpTo: number;
  /** Latest event time. */
  readonly latest: Date;
  readonly days: number;
}

/** Parameters of `SYNTHETIC_EVENTS`. */
export function parametersOf(span: SyntheticSpan): unknown[] {
  const { organizationId, after, upTo, loadAfter, loadUpTo, latest, days } = span;
  return [
    organizationId,
    after,
    upTo,
    loadAfter,
    loadUpTo,
    latest.toISOString(),
    days,
    [...END_USER_SHARES],
    [...AGENT_SHARES],
  ];
}

/** SQL for a point in [0, 1) that depends on the event's number and on `purpose`. */
const point = (purpose: number) => `((hashint8extended(n, ${purpose}) & 4294967295)::float8 / 4294967296)`;
const below = (count: number, purpose: number) => `floor(${point(purpose)} * ${count})::int`;

const MODELS = CUSTOMER_MODELS.map(
  ({ name, provider, input, output, cacheRead }, number) =>
    `(${number}, '${name}', '${provider}', ${input}::numeric, ${output}::numeric, ${cacheRead}::numeric)`,
).join(', ');

/** Part of the events up to the last day. */
const EARLIER = 1 - LAST_DAY_SHARE;

/** A subquery for the events of a span. */
export const SYNTHETIC_EVENTS = `(
  select priced.*, input_cost + output_cost + coalesce(cache_read_cost, 0) as total_cost
  from (
    select measured.*, $1::uuid as organization_id,
      (substr(millisecond, 1, 12) || '7' || substr(digest, 1, 3) || '8' || substr(digest, 4, 15))::uuid as id,
      input_tokens * input_rate / 1000000 as input_cost, output_tokens * output_rate / 1000000 as output_cost,
      cache_read_input_tokens * cache_rate / 1000000 as cache_read_cost
    from (
      select numbered.*, model.*,
        lpad(to_hex((extract(epoch from event_time) * 1000)::bigint), 12, '0') as millisecond, md5('event ' || n) as digest,
        200 + ${below(4_000, 1)} as input_tokens, 20 + ${below(900, 2)} as output_tokens,
        case when ${point(3)} < ${CACHED_SHARE} then 1 + ${below(200, 4)} end as cache_read_input_tokens,
        '${END_USER_PREFIX}' || width_bucket(${point(5)}, $8::float8[]) as end_user,
        '${AGENT_PREFIX}' || width_bucket(${point(6)}, $9::float8[]) as agent_id,
        case when ${point(7)} < ${SESSION_SHARE} then 'session-' || n / ${NUMBERS_PER_SESSION} end as session_id,
        case when ${point(8)} < ${EXPERIMENT_SHARE} then 'shorter-prompts' end as experiment_id,
        case when ${point(8)} < ${EXPERIMENT_SHARE} then (array['a', 'b'])[1 + n % 2] end as variant,
        'feature-' || ${below(FEATURES, 9)} as feature,
        jsonb_build_object('team', 'team-' || ${below(DIMENSIONS.team, 10)}, 'tier', 'tier-' || ${below(DIMENSIONS.tier, 11)},
          'region', 'region-' || ${below(DIMENSIONS.region, 12)}, 'release', 'release-' || ${below(RELEASES, 13)},
          'request_id', 'request-' || n) as metadata
      from (
        select n, $6::timestamptz - interval '1 day' * case
          when place <= ${EARLIER} then 1 + (1 - place / ${EARLIER}) * ($7::float8 - 1)
          else (1 - place) / ${LAST_DAY_SHARE} end as event_time
        from generate_series($2::bigint + 1, $3::bigint) as n
        cross join lateral (select (n - $4::bigint)::float8 / ($5::bigint - $4::bigint) as place) as placed
      ) as numbered
      join (values ${MODELS}) as model (number, model, provider, input_rate, output_rate, cache_rate)
        on model.number = ${below(CUSTOMER_MODELS.length, 14)}
    ) as measured
  ) as priced
)`;

/** SQL for an event's lines, as `(class, tokens, rate, cost)`; the last one is null unless tokens were cached. */
export const LINES = [
  ['input', 'input_tokens', 'input_rate', 'input_cost'],
  ['output', 'output_tokens', 'output_rate', 'output_cost'],
  ['cache_read', 'cache_read_input_tokens', 'cache_rate', 'cache_read_cost'],
] as const;
