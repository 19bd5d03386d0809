import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#schema/errors.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { integer, text } from '../../json-schema.ts';
import type { ExtRoute } from '../ext-route.ts';
import { countOf, membersOf, textOf, WINDOW_MEMBERS, windowOf } from '../read-body.ts';

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

const GROUPINGS = ['name', 'agent', 'end_user', 'model'];
const FIRST = 100;
const FIRST_MAX = 1_000;
const MEMBERS = {
  ...WINDOW_MEMBERS,
  group_by: { ...text('Grouping; default: `name`.'), enum: GROUPINGS },
  dimension: text('A metadata key to group by, instead of `group_by`.'),
  name: text('Only outcomes with this name.'),
  end_user: text('Only this end user: its `user_id`.'),
  agent: text('Only this `agent_id`.'),
  first: integer(`Number of groups, at most ${FIRST_MAX}; default: ${FIRST}.`),
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
export const outcomeCosts: ExtRoute = {
  url: '/outcome-costs',
  operationId: 'getOutcomeCosts',
  tool: 'get_outcomes',
  tag: 'Outcomes',
  summary: 'Cost per completed task',
  description:
    'Completed tasks with their cost, failed attempts included, compared with their value: cost per success and per attempt, the share of cost in failed attempts, and value less cost. All outcomes and `cost_without_outcome` add up to the cost of the window. Amounts are USD.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: { type: 'object', properties: MEMBERS, additionalProperties: false },
  manyMax: null,
  document: DOCUMENT,
  at: ['window'],
  answer: async (body, { gateway, principal }) => {
    const members = membersOf(body, 'The request body', Object.keys(MEMBERS));
    const dimension = textOf(members, 'dimension');
    const grouping = textOf(members, 'group_by');
    if (grouping !== null && !GROUPINGS.includes(grouping))
      fail('VALIDATION_ERROR', `group_by must be one of ${GROUPINGS.join(', ')}`);
    const name = textOf(members, 'name');
    const variables: VariablesOf<'OutcomeCosts'> = {
      ...windowOf(members),
      groupBy:
        dimension !== null && grouping === null
          ? null
          : ((grouping ?? 'name').toUpperCase() as VariablesOf<'OutcomeCosts'>['groupBy']),
      dimension,
      filter: {
        names: name === null ? null : [name],
        endUser: textOf(members, 'end_user'),
        agent: textOf(members, 'agent'),
      },
      first: countOf(members, 'first', FIRST_MAX) ?? FIRST,
    };
    return (await askGateway(gateway, DOCUMENT, variables, principal)).window;
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
};
