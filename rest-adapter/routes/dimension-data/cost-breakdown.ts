import { graphql } from '#schema/graphql.ts';
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
  // `dimensions:read` is only for the definitions, which the graph serves (decision 9, D58).
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(
    textParameter({
      name: 'dimension_key',
      variable: 'key',
      required: true,
      description: 'Key of a registered dimension, case-sensitive.',
    }),
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
  example: {
    parameters: { dimension_key: 'team', start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      items: [
        {
          dimension_value: 'red',
          total_cost: '0.015',
          input_tokens: 9000,
          output_tokens: 500,
          event_count: 3,
          percent_of_total: 71.43,
        },
        {
          dimension_value: 'Unassigned',
          total_cost: '0.006',
          input_tokens: 3000,
          output_tokens: 300,
          event_count: 1,
          percent_of_total: 28.57,
        },
      ],
      total_cost: '0.021',
    },
  },
});
