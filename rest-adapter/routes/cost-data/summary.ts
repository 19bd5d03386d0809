import { toWindowEnum, WINDOW_NAMES } from '#kernel/time/named-window.ts';
import { graphql } from '#schema/graphql.ts';
import { choice } from '../../params/parameter.ts';
import { defineRoute } from '../../route.ts';

export const costSummary = defineRoute({
  url: '/cost-data/summary',
  operationId: 'getCostSummary',
  tool: 'get_cost_summary',
  tag: 'Cost data',
  summary: 'Cost of a named period and of the previous one',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: choice({
    name: 'time_window',
    variable: 'timeWindow',
    description: 'Calendar periods are UTC; rolling ones end now.',
    values: Object.fromEntries(WINDOW_NAMES.map((name) => [name, toWindowEnum(name)])),
  }),
  document: graphql(`query CostSummary($timeWindow: TimeWindow!) {
    costSummary(timeWindow: $timeWindow) {
      current_period_cost: currentPeriodCost
      previous_period_cost: previousPeriodCost
      change_amount: changeAmount
      change_percent: changePercent
      event_count: eventCount
      period_start: periodStart
      period_end: periodEnd
      status_counts: statusCounts { completed failed pending pending_rate_card: pendingRateCard }
    }
  }`),
  answer: ['costSummary'],
  example: {
    parameters: { time_window: 'last-period' },
    response: {
      current_period_cost: '120.5',
      previous_period_cost: '100',
      change_amount: '20.5',
      change_percent: 20.5,
      event_count: 4200,
      period_start: '2026-01-01T00:00:00.000Z',
      period_end: '2026-02-01T00:00:00.000Z',
      status_counts: { completed: 4200, failed: 0, pending: 3, pending_rate_card: 12 },
    },
  },
});
