import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object, text } from '../body.ts';
import { END_USERS_OF_WINDOW, endUsersOfWindow } from '../end-users-of-window.ts';

const DOCUMENT = graphql(`query FixedCosts($start: Instant!, $end: Instant!, $fixedCost: String, $first: Int!) {
  window(start: $start, end: $end) {
    start
    end
    allocated_costs: allocatedCosts(groupBy: END_USER, fixedCost: $fixedCost, first: $first) {
      total
      allocated
      unassigned
      idle
      unallocated
      replaced_cost: replacedCost
      end_users: nodes { user_id: externalId amount: total }
      total_end_users: totalCount
    }
    adjustments: costAdjustments(first: 100) {
      total: totalAmount
      count: totalCount
      entries: nodes { day booked_day: bookedDay provider model amount note reverses_id: reversesId }
    }
  }
  fixed_costs: fixedCosts {
    key
    name
    provider
    driver
    unit
    capacity_per_day: capacityPerDay
    replaces_model_cost: replacesModelCost
    allocated_until: allocatedUntil
    utilization: utilisation(start: $start, end: $end) {
      days
      bought
      used
      idle
      unallocated
      used_measure: usedMeasure
      capacity
      percent
      model_cost: modelCost
      list_cost: listCost
      replaced_cost: replacedCost
      break_even_percent: breakEvenPercent
      list_break_even_percent: listBreakEvenPercent
    }
    effective_price: effectivePrice(start: $start, end: $end) { price per }
  }
}`);

const MEMBERS = {
  ...END_USERS_OF_WINDOW,
  key: text('Key of a fixed cost: only the shares of end users in it are returned.'),
};

/** `POST /ext/v1/fixed-costs`: fixed costs, and each end user's share of them. */
export const fixedCosts = extRoute({
  url: '/fixed-costs',
  operationId: 'getFixedCosts',
  tool: 'get_fixed_costs',
  tag: 'Fixed costs',
  summary: 'Fixed costs: what was bought, used and idle, and the share of each end user',
  description:
    'Fixed costs, which are paid whether they are used or not, such as seats, GPU hours and provisioned throughput: the amount for the days of the window, what was used, what was idle (null: unknown, because no capacity was stated), and the share of each end user. `replaced_cost` is the model cost of calls that a fixed cost pays for, which the margin after fixed costs leaves out. Adjustments are costs that no end user carries, such as the unexplained part of a bill; the newest 100 are listed. Amounts are USD; days are UTC and allocated two hours after they end.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY', 'NOT_FOUND'],
  body: object(MEMBERS),
  document: DOCUMENT,
  at: [],
  answer: async ({ key, ...dates }, { gateway, principal }) => {
    const variables = { ...endUsersOfWindow(dates), fixedCost: key };
    return askGateway(gateway, DOCUMENT, variables, principal);
  },
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      window: {
        start: '2026-01-01T00:00:00.000Z',
        end: '2026-02-01T00:00:00.000Z',
        allocated_costs: {
          total: '3100',
          allocated: '1850',
          unassigned: '50',
          idle: '1200',
          unallocated: '0',
          replaced_cost: '0',
          end_users: [{ user_id: 'customer-7', amount: '1850' }],
          total_end_users: 1,
        },
        adjustments: {
          total: '12.5',
          count: 1,
          entries: [
            {
              day: '2026-01-20',
              booked_day: '2026-01-20',
              provider: 'openai',
              model: null,
              amount: '12.5',
              note: 'Vector store storage',
              reverses_id: null,
            },
          ],
        },
      },
      fixed_costs: [
        {
          key: 'gpu',
          name: 'GPU cluster',
          provider: 'CoreWeave',
          driver: 'UNITS',
          unit: null,
          capacity_per_day: '80000',
          replaces_model_cost: false,
          allocated_until: '2026-02-01',
          utilization: {
            days: 31,
            bought: '3100',
            used: '1900',
            idle: '1200',
            unallocated: '0',
            used_measure: '1520000',
            capacity: '2480000',
            percent: 61.29,
            model_cost: '2356',
            list_cost: '2945',
            replaced_cost: '0',
            break_even_percent: 80.65,
            list_break_even_percent: 64.52,
          },
          effective_price: { price: '0.002039473684211', per: '1' },
        },
      ],
    },
  },
});
