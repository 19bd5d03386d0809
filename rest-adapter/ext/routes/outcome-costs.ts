import { askGateway } from '#platform/ask-gateway.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { count, object, oneOf, text, WINDOW, windowOf } from '../body.ts';

const DOCUMENT = graphql(`query OutcomeCosts(
  $start: Instant!, $end: Instant!, $groupBy: OutcomeGrouping, $dimension: String, $filter: OutcomeFilter, $first: Int!
) {
  window(start: $start, end: $end) {
    start
    end
    outcomes(groupBy: $groupBy, groupByDimension: $dimension, filter: $filter, first: $first) {
      groups: nodes {
        value
        figures {
          count succeeded failed cost event_count: eventCount cost_per_attempt: costPerAttempt cost_per_success: costPerSuccess
          failed_cost: failedCost failed_cost_percent: failedCostPercent value value_less_cost: valueLessCost
          other_values: otherValues { currency value }
        }
      }
      total_groups: totalCount
      total {
        count succeeded failed cost event_count: eventCount cost_per_attempt: costPerAttempt cost_per_success: costPerSuccess
        failed_cost: failedCost failed_cost_percent: failedCostPercent value value_less_cost: valueLessCost
        other_values: otherValues { currency value }
      }
      cost_without_outcome: costWithoutOutcome
    }
  }
}`);

const GROUPINGS = { name: 'NAME', agent: 'AGENT', end_user: 'END_USER', model: 'MODEL' } as const;
const FIRST = 100;
const FIRST_MAX = 1_000;
const MEMBERS = {
  ...WINDOW,
  group_by: oneOf('Grouping; default: `name`.', ['name', 'agent', 'end_user', 'model']),
  dimension: text('A metadata key to group by, instead of `group_by`.'),
  name: text('Only outcomes with this name.'),
  end_user: text('Only this end user: its `user_id`.'),
  agent: text('Only this `agent_id`.'),
  first: count(`Number of groups, at most ${FIRST_MAX}; default: ${FIRST}.`, FIRST_MAX),
};

const EXAMPLE = {
  count: 4,
  succeeded: 2,
  failed: 2,
  cost: '0.08',
  event_count: 4,
  cost_per_attempt: '0.02',
  cost_per_success: '0.04',
  failed_cost: '0.04',
  failed_cost_percent: 50,
  value: '3',
  value_less_cost: '2.92',
  other_values: [],
};

/** `POST /ext/v1/outcome-costs`: what completed tasks cost, failed attempts included. */
export const outcomeCosts = extRoute({
  url: '/outcome-costs',
  operationId: 'getOutcomeCosts',
  tool: 'get_outcomes',
  tag: 'Outcomes',
  summary: 'Cost per completed task',
  description:
    'Completed tasks with their cost, failed attempts included, compared with their value: cost per success and per attempt, the share of cost in failed attempts, and value minus cost. All outcomes and `cost_without_outcome` add up to the cost of the window. Amounts are USD.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: ['window'],
  answer: async ({ group_by: grouping, dimension, name, end_user: endUser, agent, first, ...dates }, request) => {
    const variables: VariablesOf<'OutcomeCosts'> = {
      ...windowOf(dates),
      groupBy: dimension !== null && grouping === null ? null : GROUPINGS[grouping ?? 'name'],
      dimension,
      filter: { names: name === null ? null : [name], endUser, agent },
      first: first ?? FIRST,
    };
    return (await askGateway(request.gateway, DOCUMENT, variables, request.principal)).window;
  },
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      outcomes: {
        groups: [
          {
            value: 'ticket_resolved',
            figures: EXAMPLE,
          },
        ],
        total_groups: 1,
        total: EXAMPLE,
        cost_without_outcome: '12.5',
      },
    },
  },
});
