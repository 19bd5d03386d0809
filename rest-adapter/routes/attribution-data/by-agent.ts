import { graphql } from '#schema/graphql.ts';
import { COST_EXAMPLE, COST_FIELDS } from '../../cost-fields.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const costByAgent = defineRoute({
  url: '/attribution-data/by-agent',
  operationId: 'getCostByAgent',
  tool: 'get_cost_by_agent',
  tag: 'Attribution',
  summary: 'Costs by agent',
  description: 'The 1,000 most expensive agents; totals include all agents.',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: false }),
  document: graphql(`query CostByAgent($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      costsByAttribution(key: "agent_id", first: 1000) {
        items { attribution_value: attributionValue ${COST_FIELDS} }
        total_cost: totalCost
        total_groups: totalGroups
        truncated
      }
    }
  }`),
  answer: ['window', 'costsByAttribution'],
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      items: [{ attribution_value: 'support', ...COST_EXAMPLE }],
      total_cost: '0.021',
      total_groups: 1,
      truncated: false,
    },
  },
});
