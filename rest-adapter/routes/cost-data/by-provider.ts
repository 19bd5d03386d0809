import { graphql } from '#schema/graphql.ts';
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
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      providers: [
        {
          provider_id: 'anthropic',
          provider_name: 'Anthropic',
          provider_slug: 'anthropic',
          total_cost: '0.021',
          event_count: 1,
          percent_of_total: 100,
        },
      ],
      total_cost: '0.021',
    },
  },
});
