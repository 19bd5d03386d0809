import { graphql } from '#schema/graphql.ts';
import { MODEL_ITEMS, MODELS_EXAMPLE } from '../../../model-fields.ts';
import { dateRange } from '../../../params/date-range.ts';
import { together } from '../../../params/parameter.ts';
import { pathParameter } from '../../../params/text-parameter.ts';
import { defineRoute } from '../../../route.ts';

export const endUserCostByModel = defineRoute({
  url: '/end-user-costs/:externalId/by-model',
  operationId: 'getEndUserCostByModel',
  tool: 'get_end_user_cost_by_model',
  tag: 'End-user costs',
  summary: 'Costs of one end user by model',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(
    pathParameter('externalId', 'externalId', 'The `user_id` used at ingestion, percent-encoded.'),
    dateRange({ required: true }),
  ),
  document: graphql(`query EndUserCostByModel($externalId: String!, $start: Instant!, $end: Instant!) {
    endUser(externalId: $externalId) {
      costsByModel(start: $start, end: $end) { end_user_id: endUserId ${MODEL_ITEMS} }
    }
  }`),
  answer: ['endUser', 'costsByModel'],
  example: {
    parameters: { externalId: 'customer-7', start_date: '2026-01-01', end_date: '2026-02-01' },
    response: { end_user_id: '0d6f5b1c-5a0e-5c57-9d0c-2f6a1f1b7e55', ...MODELS_EXAMPLE },
  },
});
