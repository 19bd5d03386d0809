import { graphql } from '../../../schema/graphql.ts';
import { amount, object } from '../../json-schema.ts';
import { MODEL_ITEMS, MODELS_SCHEMA } from '../../model-fields.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const costByModel = defineRoute({
  url: '/cost-data/by-model',
  operationId: 'getCostByModel',
  tool: 'get_cost_by_model',
  tag: 'Cost data',
  summary: 'Costs by model',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: false }),
  document: graphql(`query CostByModel($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) { costsByModel { ${MODEL_ITEMS} } }
  }`),
  answer: ['window', 'costsByModel'],
  response: object({ models: MODELS_SCHEMA, total_cost: amount('USD, the sum of the entries.') }),
});
