import { graphql } from '../../../schema/graphql.ts';
import { COST_FIELDS, COST_PROPERTIES } from '../../cost-fields.ts';
import { amount, array, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const costByAgent = defineRoute({
  url: '/attribution-data/by-agent',
  operationId: 'getCostByAgent',
  tool: 'get_cost_by_agent',
  tag: 'Attribution',
  summary: 'Costs by agent',
  description: 'At most the 1,000 costliest agents; the totals cover all of them.',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: false }),
  document: graphql(`query CostByAgent($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      costsByAttribution(key: "agent_id", limit: 1000) {
        items { attribution_value: attributionValue ${COST_FIELDS} }
        total_cost: totalCost
        total_groups: totalGroups
        truncated
      }
    }
  }`),
  answer: ['window', 'costsByAttribution'],
  response: object({
    items: array(object({ attribution_value: text('The agent, or `Unassigned`.'), ...COST_PROPERTIES }), 'Costliest first.'),
    total_cost: amount('USD, of everything that matched.'),
    total_groups: number('Groups that matched.'),
    truncated: { type: 'boolean', description: 'Whether the cheapest groups were dropped.' },
  }),
});
