import { graphql } from '../../../../schema/graphql.ts';
import { amount, object, text } from '../../../json-schema.ts';
import { MODEL_ITEMS, MODELS_SCHEMA } from '../../../model-fields.ts';
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
  response: object({
    end_user_id: text('The service\'s own UUID of the end user.', { format: 'uuid', 'x-open-point': 'D51' }),
    models: MODELS_SCHEMA,
    total_cost: amount('USD, the sum of the entries.'),
  }),
});
