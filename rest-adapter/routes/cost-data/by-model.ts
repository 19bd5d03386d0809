import { graphql } from '#schema/graphql.ts';
import { MODEL_ITEMS, MODELS_EXAMPLE } from '../../model-fields.ts';
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
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: MODELS_EXAMPLE,
  },
});
