import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { count, object, oneOf, text } from '../body.ts';

const DOCUMENT = graphql(`query ListAlerts($state: AlertEpisodeState, $ruleId: ID, $first: Int!, $after: String) {
  alertEpisodes(state: $state, ruleId: $ruleId, first: $first, after: $after) {
    total_count: totalCount
    page_info: pageInfo { has_next_page: hasNextPage end_cursor: endCursor }
    items: nodes {
      id
      kind
      state
      rule_id: ruleId
      rule { name is_muted: isMuted }
      group_key: groupKey
      group_name: groupName
      severity
      level
      opened_at: openedAt
      closed_at: closedAt
      closed_reason: closedReason
      acknowledged_at: acknowledgedAt
      sentence
      figures { name value unit }
      window_start: windowStart
      window_end: windowEnd
      computed_at: computedAt
      path
    }
  }
}`);

const STATES = { open: 'OPEN', closed: 'CLOSED', all: null } as const;
const FIRST = 50;
const FIRST_MAX = 200;
const MEMBERS = {
  state: oneOf('Default: `open`.', ['open', 'closed', 'all']),
  rule_id: text('Only alerts of this rule: its id.'),
  first: count(`Number of alerts, at most ${FIRST_MAX}; default: ${FIRST}.`, FIRST_MAX),
  after: text('`end_cursor` of the previous page.'),
};

/** `POST /ext/v1/alerts`: alerts, newest first. */
export const alerts = extRoute({
  url: '/alerts',
  operationId: 'listAlerts',
  tool: 'list_alerts',
  tag: 'Alerts',
  summary: 'Open and closed alerts',
  description:
    'Alert episodes, newest first, including episodes of muted rules. An episode (an incident) lasts from when a rule starts firing until it stops. Each contains a sentence that describes it, the figures at that time, and a link to its page in the dashboard. Episodes about revenue and margins also require `revenue:read`.',
  scope: 'costs:read',
  spends: 'read',
  errors: [],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: ['alertEpisodes'],
  answer: async ({ state, rule_id: ruleId, first, after }, { gateway, principal }) => {
    const variables = { state: STATES[state ?? 'open'], ruleId, first: first ?? FIRST, after };
    return (await askGateway(gateway, DOCUMENT, variables, principal)).alertEpisodes;
  },
  example: {
    body: { state: 'open' },
    response: {
      total_count: 1,
      page_info: { has_next_page: false, end_cursor: 'YWZ0ZXI6MQ' },
      items: [
        {
          id: '0199a1b2-7c00-7000-8000-00000000a1e7',
          kind: 'UNPRICED',
          state: 'OPEN',
          rule_id: '0199a1b2-7c00-7000-8000-000000000001',
          rule: { name: 'Events without a price', is_muted: true },
          group_key: 'acme-1',
          group_name: 'acme-1',
          severity: 'WARNING',
          level: null,
          opened_at: '2026-01-31T12:16:00.000Z',
          closed_at: null,
          closed_reason: null,
          acknowledged_at: null,
          sentence: '12 events of acme-1 have no price',
          figures: [{ name: 'events', value: '12', unit: 'count' }],
          window_start: '2026-01-31T00:00:00.000Z',
          window_end: '2026-02-01T00:00:00.000Z',
          computed_at: '2026-01-31T12:16:00.000Z',
          path: '/rates/waiting',
        },
      ],
    },
  },
});
