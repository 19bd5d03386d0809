import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object } from '../body.ts';
import { END_USERS_OF_WINDOW, endUsersOfWindow } from '../end-users-of-window.ts';

const DOCUMENT = graphql(`query AfterFixedCosts($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) {
    start
    end
    margin_after_fixed_costs: marginAfterFixedCosts {
      revenue: totalRevenue
      model_cost: modelCost
      replaced_cost: replacedCost
      fixed_cost: fixedCost
      allocated_cost: allocatedCost
      unassigned_cost: unassignedCost
      idle_cost: idleCost
      unallocated_cost: unallocatedCost
      shortfall_cost: shortfallCost
      adjustment_cost: adjustmentCost
      margin_amount: marginAmount
      margin_percent: marginPercent
      warnings { count message type }
      end_users: endUsers(first: $first) {
        total_count: totalCount
        nodes {
          user_id: externalId
          name: endUserName
          revenue
          model_cost: modelCost
          replaced_cost: replacedCost
          allocated_cost: allocatedCost
          margin_amount: marginAmount
          margin_percent: marginPercent
        }
      }
    }
  }
}`);

/** `POST /ext/v1/margin-after-fixed-costs`: revenue minus model costs, fixed costs, shortfalls and adjustments. */
export const marginAfterFixedCosts = extRoute({
  url: '/margin-after-fixed-costs',
  operationId: 'getMarginAfterFixedCosts',
  tool: 'get_margin_after_fixed_costs',
  tag: 'Fixed costs',
  summary: 'Margin after model costs, fixed costs and adjustments',
  description:
    'Revenue minus model costs, fixed costs, shortfalls of commitments and adjustments, in total and for each end user, in USD. Each end user has its model costs and its share of the fixed costs. `replaced_cost` is the part of the model cost that fixed costs replace, such as calls served by provisioned throughput; it is not subtracted. Unassigned, idle and unallocated fixed costs, shortfalls and adjustments (costs without an event or an end user, such as storage on a bill) count in the total only. End users are least profitable first.',
  scope: 'revenue:read',
  spends: 'read',
  errors: ['UNPROCESSABLE_ENTITY'],
  body: object(END_USERS_OF_WINDOW),
  document: DOCUMENT,
  at: ['window'],
  answer: async (body, { gateway, principal }) =>
    (await askGateway(gateway, DOCUMENT, endUsersOfWindow(body), principal)).window,
  example: {
    body: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      margin_after_fixed_costs: {
        revenue: '5000',
        model_cost: '800',
        replaced_cost: '0',
        fixed_cost: '3100',
        allocated_cost: '1850',
        unassigned_cost: '50',
        idle_cost: '1200',
        unallocated_cost: '0',
        shortfall_cost: '0',
        adjustment_cost: '12.5',
        margin_amount: '1087.5',
        margin_percent: 21.75,
        warnings: [],
        end_users: {
          total_count: 1,
          nodes: [
            {
              user_id: 'customer-7',
              name: 'Customer 7',
              revenue: '5000',
              model_cost: '800',
              replaced_cost: '0',
              allocated_cost: '1850',
              margin_amount: '2350',
              margin_percent: 47,
            },
          ],
        },
      },
    },
  },
});
