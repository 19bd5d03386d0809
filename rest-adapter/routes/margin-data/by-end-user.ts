import { graphql } from '../../../schema/graphql.ts';
import { amount, array, integer, nullable, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

const CATEGORY = text('Above 20 percent, 0 to 20, below 0 (or cost without revenue).', { enum: ['profitable', 'break-even', 'unprofitable'] });
const PERCENT = nullable(number('Two decimals; null when revenue is zero.'));

export const marginByEndUser = defineRoute({
  url: '/margin-data/by-end-user',
  operationId: 'getMarginByEndUser',
  tool: 'get_margin_by_end_user',
  tag: 'Margin',
  summary: 'Margin by end user and of the organization',
  description: 'Least profitable first. A range of more than 12 calendar months is 422.',
  scope: 'revenue:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'UNPROCESSABLE_ENTITY', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: true, monthsMax: 12 }),
  // The list is one value: the revenue subgraph writes its items as the contract names them, thousands at once.
  document: graphql(`query MarginByEndUser($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      margin {
        end_users: endUserList
        org_total: total {
          total_revenue: totalRevenue
          total_cost: totalCost
          margin_amount: marginAmount
          margin_percent: marginPercent
          profitability_category: profitabilityCategory
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
  response: object({
    end_users: array(object({
      end_user_id: text('The service\'s own UUID.', { format: 'uuid', 'x-open-point': 'D44' }),
      end_user_name: text('Name of the customer, else your identifier.', { 'x-open-point': 'D44' }),
      cost: amount('USD.'),
      revenue: amount('USD, recognized in the range.'),
      margin_amount: amount('Revenue less cost.'),
      margin_percent: PERCENT,
      profitability_category: CATEGORY,
    })),
    org_total: object({
      total_revenue: amount('USD; `0` when no revenue is synced.'),
      total_cost: amount('USD.'),
      margin_amount: amount('Revenue less cost.'),
      margin_percent: PERCENT,
      profitability_category: CATEGORY,
      revenue_record_count: integer('Records with revenue in the range.'),
      cost_record_count: integer('Completed events of the range.'),
      unattributed_revenue: amount('Raw sum of unmapped records whose period starts in the range: a diagnostic.'),
      unattributed_cost: amount('Cost of events without an end user; part of total_cost.'),
    }),
    warnings: array(object({
      count: integer('How many it is about.'),
      message: text('For people.'),
      type: text('', { enum: ['unattributed_revenue', 'unattributed_cost', 'revenue_not_connected'] }),
    })),
  }),
});
