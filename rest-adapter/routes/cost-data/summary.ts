import { graphql } from '../../../schema/graphql.ts';
import { amount, instant, integer, number, object } from '../../json-schema.ts';
import { choice } from '../../params/choice.ts';
import { defineRoute } from '../../route.ts';

export const costSummary = defineRoute({
  url: '/cost-data/summary',
  operationId: 'getCostSummary',
  tool: 'get_cost_summary',
  tag: 'Cost data',
  summary: 'Cost of a named period beside the period before',
  scope: 'costs:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: choice({
    name: 'time_window',
    variable: 'timeWindow',
    description: 'Calendar periods are UTC; rolling ones end now.',
    values: {
      'current-period': 'CURRENT_PERIOD',
      'last-period': 'LAST_PERIOD',
      'last-7-days': 'LAST_7_DAYS',
      'last-30-days': 'LAST_30_DAYS',
      'last-90-days': 'LAST_90_DAYS',
      ytd: 'YTD',
      'last-year': 'LAST_YEAR',
    },
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
  response: object({
    current_period_cost: amount('USD, completed events of the period.'),
    previous_period_cost: amount('USD, the period before.'),
    change_amount: amount('USD, current less previous.'),
    change_percent: { ...number('Two decimals; 0 when both are zero, 100 when only the previous is.'), 'x-open-point': 'D27' },
    event_count: number('Completed events of the period.'),
    period_start: instant('Inclusive.'),
    period_end: instant('Exclusive.'),
    status_counts: object({
      completed: integer('Priced.'),
      failed: integer('Given up.'),
      pending: integer('In the queue.'),
      pending_rate_card: integer('Waiting for a rate card.'),
    }),
  }),
});
