import { graphql } from '#schema/graphql.ts';
import { dateRange } from '../../params/date-range.ts';
import { together } from '../../params/parameter.ts';
import { textParameter } from '../../params/text-parameter.ts';
import { defineRoute } from '../../route.ts';

export const dimensionValues = defineRoute({
  url: '/attribution-data/dimension-values',
  operationId: 'listDimensionValues',
  tool: 'list_dimension_values',
  tag: 'Attribution',
  summary: 'Values of a metadata key',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(
    textParameter({
      name: 'dimension',
      variable: 'key',
      required: true,
      description: 'A metadata key, `model` or `provider`.',
    }),
    dateRange({ required: false }),
  ),
  document: graphql(`query DimensionValues($key: String!, $start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) { values: dimensionValues(key: $key) }
  }`),
  answer: ['window'],
  example: {
    parameters: { dimension: 'team', start_date: '2026-01-01', end_date: '2026-02-01' },
    response: { values: ['blue', 'red'] },
  },
});
