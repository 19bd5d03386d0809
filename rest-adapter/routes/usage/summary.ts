import { graphql } from '../../../schema/graphql.ts';
import { array, instant, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { defineRoute } from '../../route.ts';

export const usageSummary = defineRoute({
  url: '/usage/summary',
  operationId: 'getUsageSummary',
  tool: 'get_usage_summary',
  tag: 'Usage',
  summary: 'Usage by metric',
  scope: 'usage:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
  parameters: dateRange({ required: true }),
  document: graphql(`query UsageSummary($start: Instant!, $end: Instant!) {
    window(start: $start, end: $end) {
      usageSummary {
        user_id: userId
        period_start: periodStart
        period_end: periodEnd
        total_events: totalEvents
        metrics { metric_name: metricName total_quantity: totalQuantity event_count: eventCount }
      }
    }
  }`),
  answer: ['window', 'usageSummary'],
  response: object({
    user_id: text('The account user whom the calling key belongs to.', { format: 'uuid', 'x-open-point': 'D36' }),
    period_start: instant('Inclusive.'),
    period_end: instant('Exclusive.'),
    total_events: number('All live events, whatever their cost status.'),
    metrics: array(object({
      metric_name: text('Lowercase.'),
      total_quantity: number('Sum of the quantities.'),
      event_count: number('Events.'),
    })),
  }),
});
