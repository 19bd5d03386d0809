import { graphqlFragment, internalGraphql } from '#schema/graphql.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const marginByEndUser = defineRoute({
  url: '/margin-data/by-end-user',
  operationId: 'getMarginByEndUser',
  tool: 'get_margin_by_end_user',
  tag: 'Margin',
  summary: 'Margin by end user and for the organization',
  description: 'Least profitable first. A range of more than 12 calendar months returns 422.',
  scope: 'revenue:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'UNPROCESSABLE_ENTITY', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: true, monthsMax: 12 }),
  // The contract recognizes all revenue of the range, including future days. The list is one JSON value: the revenue
  // subgraph writes thousands of items at once, with the contract's names.
  document: internalGraphql(`query MarginByEndUser($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      margin(throughEnd: true) {
        end_users: endUserList
        org_total: total {
          total_revenue: totalRevenue
          total_cost: totalCost
          margin_amount: marginAmount
          margin_percent: marginPercent
          profitability_category: profitability
          revenue_record_count: revenueRecordCount
          cost_record_count: costRecordCount
          unattributed_revenue: unattributedRevenue
          unattributed_cost: unattributedCost
        }
        warnings { count message type }
      }
    }
  }`),
  answer: ['window', 'margin'],
  lists: {
    end_users: graphqlFragment(`fragment EndUserMarginItem on EndUserMargin {
      end_user_id: endUserId
      end_user_name: endUserName
      cost
      revenue
      margin_amount: marginAmount
      margin_percent: marginPercent
      profitability_category: profitability
    }`),
  },
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      end_users: [
        {
          end_user_id: '0d6f5b1c-5a0e-5c57-9d0c-2f6a1f1b7e55',
          end_user_name: 'Atlas Logistics',
          cost: '12.5',
          revenue: '50',
          margin_amount: '37.5',
          margin_percent: 75,
          profitability_category: 'profitable',
        },
      ],
      org_total: {
        total_revenue: '50',
        total_cost: '14',
        margin_amount: '36',
        margin_percent: 72,
        profitability_category: 'profitable',
        revenue_record_count: 1,
        cost_record_count: 420,
        unattributed_revenue: '0',
        unattributed_cost: '1.5',
      },
      warnings: [{ count: 40, message: '40 events name no end user', type: 'unattributed_cost' }],
    },
  },
});
