import { graphql } from '../../../schema/graphql.ts';
import { amount, array, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { together } from '../../params/parameter.ts';
import { textParameter } from '../../params/text-parameter.ts';
import { defineRoute } from '../../route.ts';

export const dimensionCostBreakdown = defineRoute({
  url: '/dimension-data/cost-breakdown',
  operationId: 'getDimensionCostBreakdown',
  tool: 'get_dimension_cost_breakdown',
  tag: 'Dimensions',
  summary: 'Costs by a registered dimension',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(
    textParameter({ name: 'dimension_key', variable: 'key', required: true, description: 'Key of a registered dimension, case-sensitive.' }),
    dateRange({ required: false }),
  ),
  document: graphql(`query DimensionCostBreakdown($key: String!, $start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      costsByDimension(key: $key) {
        items {
          dimension_value: dimensionValue
          total_cost: totalCost
          input_tokens: inputTokens
          output_tokens: outputTokens
          event_count: eventCount
          percent_of_total: percentOfTotal
        }
        total_cost: totalCost
      }
    }
  }`),
  answer: ['window', 'costsByDimension'],
  response: object({
    items: array(object({
      dimension_value: text('The value, or `Unassigned` for events without the key.'),
      total_cost: amount('USD.'),
      input_tokens: number('As sent.'),
      output_tokens: number('As sent.'),
      event_count: number('Completed events.'),
      percent_of_total: number('Share of total_cost, two decimals.'),
    })),
    total_cost: amount('USD, the sum of the items.'),
  }),
});
