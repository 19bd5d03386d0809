import { graphql } from '#schema/graphql.ts';
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
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01' },
    response: {
      user_id: '4f1e9a52-0b9f-4a53-9a1d-6f0f5c9d2b77',
      period_start: '2026-01-01T00:00:00.000Z',
      period_end: '2026-02-01T00:00:00.000Z',
      total_events: 4212,
      metrics: [{ metric_name: 'tokens', total_quantity: 53_913_600, event_count: 4212 }],
    },
  },
});
