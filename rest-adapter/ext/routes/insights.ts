import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { count, object, WINDOW, windowOf } from '../body.ts';

const DOCUMENT = graphql(`query GetInsights($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) {
    start
    end
    items: insights(first: $first) {
      kind
      sentence
      at_stake: atStake
      figures { name value unit }
      query { document variables }
      path
    }
  }
}`);

const FIRST = 5;
const FIRST_MAX = 20;
const MEMBERS = {
  ...WINDOW,
  first: count(`Number of insights, at most ${FIRST_MAX}; default: ${FIRST}.`, FIRST_MAX),
};

/** `POST /ext/v1/insights`: the few most important insights. */
export const insights = extRoute({
  url: '/insights',
  operationId: 'getInsights',
  tool: 'get_insights',
  tag: 'Alerts',
  summary: 'Insights into costs and margins',
  description:
    'Largest cost changes and their causes, customers that became unprofitable (with `revenue:read`), models without a price, and cheaper models. Compares the whole UTC days of the window with the same number of days before, most money at stake first. Each insight contains its figures, the query that returns them, and a link to the dashboard page that shows them.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: ['window'],
  answer: async ({ first, ...dates }, { gateway, principal }) => {
    const variables = { ...windowOf(dates), first: first ?? FIRST };
    return (await askGateway(gateway, DOCUMENT, variables, principal)).window;
  },
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-01-31' },
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-01-31T00:00:00.000Z',
      items: [
        {
          kind: 'COST_CHANGE',
          sentence: 'Costs of gpt-4o rose by $310.50 to $912.00',
          at_stake: '310.5',
          figures: [{ name: 'cost', value: '912', unit: 'usd' }],
          query: { document: '…', variables: {} },
          path: '/costs?from=2026-01-01&to=2026-01-30&group=customer&filter=model:gpt-4o',
        },
      ],
    },
  },
});
