import { graphql } from '../../../schema/graphql.ts';
import { amount, array, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const costByProvider = defineRoute({
  url: '/cost-data/by-provider',
  operationId: 'getCostByProvider',
  tool: 'get_cost_by_provider',
  tag: 'Cost data',
  summary: 'Costs by provider',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: false }),
  document: graphql(`query CostByProvider($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      costsByProvider {
        providers: items {
          provider_id: providerId
          provider_name: providerName
          provider_slug: providerSlug
          total_cost: totalCost
          event_count: eventCount
          percent_of_total: percentOfTotal
        }
        total_cost: totalCost
      }
    }
  }`),
  answer: ['window', 'costsByProvider'],
  response: object({
    providers: array(object({
      provider_id: text('Id in the catalogue, or `unknown`.', { 'x-open-point': 'D32' }),
      provider_name: text('The provider as reported on events, else its display name.'),
      provider_slug: text('Slug in the catalogue, or `unknown`.'),
      total_cost: amount('USD.'),
      event_count: number('Completed events.'),
      percent_of_total: number('Share of total_cost, two decimals.'),
    })),
    total_cost: amount('USD, the sum of the entries.'),
  }),
});
