import { graphql } from '#schema/graphql.ts';
import { dateRange } from '../../params/date-range.ts';
import { type ParameterSet, together } from '../../params/parameter.ts';
import { textParameter, UUID_FORM } from '../../params/text-parameter.ts';
import { defineRoute } from '../../route.ts';

const endUser = textParameter({
  name: 'end_user_id',
  variable: 'endUserId',
  form: UUID_FORM,
  description: 'UUID of an end user. Ignored if dimension_key or dimension_value is present.',
});

/** A filter that another one disables is not even parsed (contract.md, "Trend rules" 7 and 8). */
const endUserUnlessDimension: ParameterSet = {
  ...endUser,
  read: (request) =>
    (request.query['dimension_key'] ?? request.query['dimension_value']) === undefined ? endUser.read(request) : {},
};

const filters = together(
  textParameter({
    name: 'dimension_key',
    variable: 'dimensionKey',
    description: 'A registered dimension: its five most expensive values and `Other`.',
  }),
  textParameter({
    name: 'dimension_value',
    variable: 'dimensionValue',
    description: 'With dimension_key: only this value. Without it: ignored.',
  }),
  endUserUnlessDimension,
);

export const costTrend = defineRoute({
  url: '/cost-data/trend',
  operationId: 'getCostTrend',
  tool: 'get_cost_trend',
  tag: 'Cost data',
  summary: 'Costs over time',
  description: 'Daily points up to 30 days, weekly up to 90, monthly above.',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(dateRange({ required: true }), filters),
  document:
    graphql(`query CostTrend($start: Instant!, $end: Instant!, $endUserId: ID, $dimensionKey: String, $dimensionValue: String) {
    window(start: $start, end: $end) {
      trend(endUserId: $endUserId, dimensionKey: $dimensionKey, dimensionValue: $dimensionValue) {
        granularity
        series { key label data_points: dataPoints { date cost event_count: eventCount } }
      }
    }
  }`),
  answer: ['window', 'trend'],
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      granularity: 'weekly',
      series: [
        {
          key: 'total',
          label: 'Total',
          data_points: [
            { date: '2026-01-01', cost: '27.25', event_count: 910 },
            { date: '2026-01-08', cost: '31', event_count: 1040 },
          ],
        },
      ],
    },
  },
});
