/** Every documented read, and hand-written SQL over the raw facts with the same result. */
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { graphql } from '#schema/graphql.ts';
import { DIMENSION, type FilledOrganization } from './filled-organization.ts';

export interface Read {
  readonly name: string;
  readonly path: string;
  /** True if rollups serve the read: it must then be a hundred times as fast as its yardstick. */
  readonly fromRollups: boolean;
  /** Maximum duration of a read with filters or two groupings. */
  readonly millisecondsMax?: number;
  /** Absent for reads without raw facts. */
  readonly raw?: {
    readonly database: 'costing' | 'attribution';
    readonly sql: string;
    readonly parameters: readonly unknown[];
  };
}

const RANGE_DAYS = 90;
/** Ranges begin and end in the middle of an hour, as the average range does. */
const ODD_MILLISECONDS = 1_801_234;
const END_USER = 'customer-17';
const DEEP_OFFSET_SHARE = 0.5;

const SUMS = `sum(total_cost) as total_cost, sum(input_tokens), sum(output_tokens), sum(cache_creation_input_tokens), sum(cache_read_input_tokens),
  sum(reasoning_tokens), sum(input_cost), sum(output_cost), sum(cache_creation_cost), sum(cache_read_cost), sum(reasoning_cost),
  count(*) filter (where sequence = 0)`;
const FACTS = 'from cost_fact where organization_id = $1 and event_time >= $2 and event_time < $3';
const byFacts = (group: string) => `select ${group} as value, ${SUMS} ${FACTS} group by 1 order by 2 desc`;
const byDay = (group: string) => `(date_trunc('day', event_time, 'UTC'), ${group})`;
const OF_AGENT = "dimensions ->> 'agent_id' = 'agent-7'";
const where = (group: string, condition: string) =>
  `select ${group} as value, ${SUMS} ${FACTS} and ${condition} group by 1 order by 2 desc`;
const ofEndUser = (group: string, where = '') =>
  `select ${group} as value, ${SUMS} ${FACTS} and end_user_id = $4 ${where} group by 1 order by 2 desc`;
const EVENTS = 'from usage_event where organization_id = $1 and livemode and event_time >= $2 and event_time < $3';

const COSTS = graphql(`query BenchCosts($start: Instant!, $end: Instant!, $filter: CostFilter, $groupBy: [CostKey!]!) {
  window(start: $start, end: $end) { costs(filter: $filter, groupBy: $groupBy) { nodes { values { value } totalCost eventCount } totalCost } }
}`);
const COST_TREND =
  graphql(`query BenchCostTrend($start: Instant!, $end: Instant!, $filter: CostFilter, $by: CostKey, $granularity: Granularity!) {
  window(start: $start, end: $end) { costTrend(filter: $filter, by: $by, granularity: $granularity) { series { points { cost eventCount } } } }
}`);

interface Selection {
  readonly by: string | readonly string[];
  readonly filter?: object;
  readonly granularity?: string;
}

type SelectionRead = readonly [name: string, selection: Selection, sql: string, fromRollups: boolean];

const AGENT = { agent: 'agent-7' };
const TEAM = { dimensions: [{ key: 'team', value: 'team-3' }] };
const PERSON = { endUser: END_USER };
const LARGEST_END_USER = 'customer-0';
/**
 * Reads with filters and groupings of the graph, with hand-written SQL and a flag for reads that rollups serve. The
 * pair of agent and model is registered.
 */
const selections: readonly SelectionRead[] = [
  ['costs by agent and model', { by: ['AGENT', 'MODEL'] }, byFacts("(dimensions ->> 'agent_id', model_slug)"), true],
  ['costs of an agent by model', { by: ['MODEL'], filter: AGENT }, where('model_slug', OF_AGENT), true],
  [
    'trend of an agent by model',
    { by: 'MODEL', filter: AGENT, granularity: 'DAY' },
    where(byDay('model_slug'), OF_AGENT),
    true,
  ],
  ['trend by model', { by: 'MODEL', granularity: 'DAY' }, byFacts(byDay('model_slug')), true],
  ['costs by end user', { by: ['END_USER'] }, byFacts('end_user_id'), false],
  ['costs of an end user by agent', { by: ['AGENT'], filter: PERSON }, ofEndUser("dimensions ->> 'agent_id'"), false],
  [
    'costs of an end user and agent by model',
    { by: ['MODEL'], filter: { ...PERSON, ...AGENT } },
    ofEndUser('model_slug', `and ${OF_AGENT}`),
    false,
  ],
  [
    'trend of an end user by model',
    { by: 'MODEL', filter: PERSON, granularity: 'DAY' },
    ofEndUser(byDay('model_slug')),
    false,
  ],
];

const OF_TEAM = "dimensions ->> 'team' = 'team-3'";

/** Read from individual facts. The product refuses them for windows with more events than this. */
const FACTS_MAX = 2_000_000;
const SELECTED_MILLISECONDS_MAX = 200;
const CROSSED: readonly SelectionRead[] = [
  [
    'costs by feature and model',
    { by: ['FEATURE', 'MODEL'] },
    byFacts("(dimensions ->> 'feature', model_slug)"),
    false,
  ],
  [
    'costs by end user and agent',
    { by: ['END_USER', 'AGENT'] },
    byFacts("(end_user_id, dimensions ->> 'agent_id')"),
    false,
  ],
  ['costs by end user and model', { by: ['END_USER', 'MODEL'] }, byFacts('(end_user_id, model_slug)'), false],
  ['costs of an agent by end user', { by: ['END_USER'], filter: AGENT }, where('end_user_id', OF_AGENT), false],
  ['costs of a team by model', { by: ['MODEL'], filter: TEAM }, where('model_slug', OF_TEAM), false],
  ['costs of a team by end user', { by: ['END_USER'], filter: TEAM }, where('end_user_id', OF_TEAM), false],
  [
    'costs of an agent and a team by model',
    { by: ['MODEL'], filter: { ...AGENT, ...TEAM } },
    where('model_slug', `${OF_TEAM} and ${OF_AGENT}`),
    false,
  ],
];

/** `events`: number of events of the organization. */
export function reads({ organizationId, end: latest }: FilledOrganization, events: number): readonly Read[] {
  const hour = Math.floor(latest.getTime() / HOUR_MS) * HOUR_MS;
  const end = new Date(hour - ODD_MILLISECONDS);
  const start = new Date(end.getTime() - RANGE_DAYS * DAY_MS + 1);
  const range = `start_date=${start.toISOString()}&end_date=${end.toISOString()}`;
  const parameters = [organizationId, start.toISOString(), end.toISOString()];
  const person = endUserId(organizationId, END_USER);
  const facts = (sql: string, more: readonly unknown[] = []) => ({
    database: 'attribution' as const,
    sql,
    parameters: [...parameters, ...more],
  });
  const stored = (sql: string, more: readonly unknown[] = []) => ({
    database: 'costing' as const,
    sql,
    parameters: [...parameters, ...more],
  });
  const page = (offset: number): Read => ({
    name: offset === 0 ? 'usage events' : 'usage events, deep',
    fromRollups: false,
    path: `/v1/usage/events?${range}&limit=100&offset=${offset}`,
    raw: stored(`select *, (select count(*) ${EVENTS}) ${EVENTS} order by event_time desc, id limit 100 offset $4`, [
      offset,
    ]),
  });
  return [
    { name: 'ping', path: '/v1/ping', fromRollups: false },
    { name: 'rate cards', path: '/v1/rate-cards/estimation-table', fromRollups: false },
    {
      name: 'summary',
      path: '/v1/cost-data/summary?time_window=last-90-days',
      fromRollups: true,
      raw: stored(SUMMARY),
    },
    {
      name: 'by provider',
      path: `/v1/cost-data/by-provider?${range}`,
      fromRollups: true,
      raw: facts(byFacts('(provider_id, provider_slug, provider_name)')),
    },
    {
      name: 'by model',
      path: `/v1/cost-data/by-model?${range}`,
      fromRollups: true,
      raw: facts(byFacts('(provider_slug, model_slug)')),
    },
    {
      name: 'trend',
      path: `/v1/cost-data/trend?${range}`,
      fromRollups: true,
      raw: facts(`select date_trunc('week', event_time, 'UTC'), sum(total_cost), count(*) ${FACTS} group by 1`),
    },
    {
      name: 'trend by dimension',
      path: `/v1/cost-data/trend?${range}&dimension_key=${DIMENSION}`,
      fromRollups: true,
      raw: facts(
        `select date_trunc('week', event_time, 'UTC'), dimensions ->> '${DIMENSION}', sum(total_cost), count(*) ${FACTS} group by 1, 2`,
      ),
    },
    {
      name: 'trend of an end user',
      path: `/v1/cost-data/trend?${range}&end_user_id=${person}`,
      fromRollups: false,
      raw: facts(
        `select date_trunc('week', event_time, 'UTC'), sum(total_cost), count(*) ${FACTS} and end_user_id = $4 group by 1`,
        [person],
      ),
    },
    {
      name: 'end user by model',
      path: `/v1/end-user-costs/${END_USER}/by-model?${range}`,
      fromRollups: false,
      raw: facts(`select provider_slug, model_slug, ${SUMS} ${FACTS} and end_user_id = $4 group by 1, 2`, [person]),
    },
    {
      name: 'largest end user by model',
      path: `/v1/end-user-costs/${LARGEST_END_USER}/by-model?${range}`,
      fromRollups: false,
      raw: facts(`select provider_slug, model_slug, ${SUMS} ${FACTS} and end_user_id = $4 group by 1, 2`, [
        endUserId(organizationId, LARGEST_END_USER),
      ]),
    },
    {
      name: 'margin by end user, up to now',
      path: `/v1/margin-data/by-end-user?start_date=${start.toISOString()}&end_date=${latest.toISOString()}`,
      fromRollups: false,
    },
    {
      name: 'by agent',
      path: `/v1/attribution-data/by-agent?${range}`,
      fromRollups: true,
      raw: facts(byFacts("dimensions ->> 'agent_id'")),
    },
    {
      name: 'dimension values',
      path: `/v1/attribution-data/dimension-values?${range}&dimension=${DIMENSION}`,
      fromRollups: true,
      raw: facts(`select distinct dimensions ->> '${DIMENSION}' ${FACTS}`),
    },
    {
      name: 'by dimension',
      path: `/v1/dimension-data/cost-breakdown?${range}&dimension_key=${DIMENSION}`,
      fromRollups: true,
      raw: facts(byFacts(`dimensions ->> '${DIMENSION}'`)),
    },
    {
      name: 'usage summary',
      path: `/v1/usage/summary?${range}`,
      fromRollups: true,
      raw: stored(`select count(*), sum(input_tokens + output_tokens) ${EVENTS}`),
    },
    ...[...selections, ...(events <= FACTS_MAX ? CROSSED : [])].map(
      ([name, { by, filter, granularity }, sql, fromRollups]): Read => {
        const selected = granularity ? { filter, by, granularity } : { filter, groupBy: by };
        const variables = JSON.stringify({ start: start.toISOString(), end: end.toISOString(), ...selected });
        const document = granularity ? COST_TREND : COSTS;
        const path = `/graphql?query=${encodeURIComponent(document)}&variables=${encodeURIComponent(variables)}`;
        return {
          name,
          path,
          fromRollups,
          millisecondsMax: SELECTED_MILLISECONDS_MAX,
          raw: facts(sql, sql.includes('$4') ? [person] : []),
        };
      },
    ),
    page(0),
    page(Math.floor(events * DEEP_OFFSET_SHARE)),
  ];
}

const SUMMARY = `
  select sum(total_cost) filter (where event_time >= $2), sum(total_cost) filter (where event_time < $2),
    count(*) filter (where event_time >= $2)
  from cost_entry where organization_id = $1 and livemode and event_time < $3 and event_time >= $2::timestamptz - ($3::timestamptz - $2::timestamptz)`;
