import { graphqlFragment, internalGraphql } from '#schema/graphql.ts';
import { noParameters } from '../../params/parameter.ts';
import { defineRoute } from '../../route.ts';

export const rateEstimationTable = defineRoute({
  url: '/rate-cards/estimation-table',
  operationId: 'getRateEstimationTable',
  tool: 'get_rate_estimation_table',
  tag: 'Rate cards',
  summary: 'Effective rates by model',
  description: 'Current rates of the organization, sorted by model_slug. Models priced per unit are not listed.',
  scope: 'costs:read',
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: noParameters,
  // The list is one JSON value: the costing subgraph writes thousands of items at once, with the contract's names.
  document: internalGraphql('query RateEstimationTable { items: rateEstimationList }'),
  answer: [],
  lists: {
    items: graphqlFragment(`fragment RateEstimateItem on RateEstimate {
      model_slug: modelSlug
      input_cost_per_million: inputCostPerMillion
      output_cost_per_million: outputCostPerMillion
      cache_creation_cost_per_million: cacheCreationCostPerMillion
      cache_read_cost_per_million: cacheReadCostPerMillion
      reasoning_cost_per_million: reasoningCostPerMillion
    }`),
  },
  example: {
    parameters: {},
    response: {
      items: [
        {
          model_slug: 'claude-sonnet-4-5',
          input_cost_per_million: '3',
          output_cost_per_million: '15',
          cache_creation_cost_per_million: '3.75',
          cache_read_cost_per_million: '0.3',
          reasoning_cost_per_million: '15',
        },
      ],
    },
  },
});
