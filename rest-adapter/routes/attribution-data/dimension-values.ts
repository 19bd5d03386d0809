import { graphql } from '../../../schema/graphql.ts';
import { array, object, text } from '../../json-schema.ts';
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
    textParameter({ name: 'dimension', variable: 'key', required: true, description: 'A metadata key, `model` or `provider`.' }),
    dateRange({ required: false }),
  ),
  document: graphql(`query DimensionValues($key: String!, $start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) { values: dimensionValues(key: $key) }
  }`),
  answer: ['window'],
  response: object({ values: array(text('A value.'), 'Sorted alphabetically.') }),
});
