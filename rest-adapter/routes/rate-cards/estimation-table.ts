import { graphql } from '../../../schema/graphql.ts';
import { amount, array, nullable, object, text } from '../../json-schema.ts';
import { noParameters } from '../../params/parameter.ts';
import { defineRoute } from '../../route.ts';

const perMillion = (what: string) => amount(`USD per million ${what} tokens.`);

export const rateEstimationTable = defineRoute({
  url: '/rate-cards/estimation-table',
  operationId: 'getRateEstimationTable',
  tool: 'get_rate_estimation_table',
  tag: 'Rate cards',
  summary: 'Effective rates by model',
  description: 'The rates that apply to the organization now, sorted by model_slug. Models priced per unit are not listed.',
  scope: 'costs:read',
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: noParameters,
  // The list is one value: the costing subgraph writes its items as the contract names them, thousands at once.
  document: graphql('query RateEstimationTable { items: rateEstimationList }'),
  answer: [],
  response: object({
    items: array(object({
      model_slug: text('Match a call\'s model name by the longest prefix.'),
      input_cost_per_million: perMillion('plain input'),
      output_cost_per_million: { ...perMillion('plain output'), 'x-open-point': 'D37' },
      cache_creation_cost_per_million: nullable(perMillion('cache-write')),
      cache_read_cost_per_million: nullable(perMillion('cache-read')),
      reasoning_cost_per_million: nullable(perMillion('reasoning')),
    })),
  }),
});
