import { graphqlFragment, internalGraphql } from '#schema/graphql.ts';
import { dateRange } from '../../params/date-range.ts';
import { together, wholeNumber } from '../../params/parameter.ts';
import { textParameter } from '../../params/text-parameter.ts';
import { defineRoute } from '../../route.ts';

/** The list is one JSON value: the costing subgraph writes a thousand items at once, with the contract's names. */
const PAGE = `{
  events: eventList
  total
  limit
  offset
}`;

const ALL =
  internalGraphql(`query UsageEvents($start: Instant!, $end: Instant!, $metricName: String, $limit: Int!, $offset: Int!) {
  window(start: $start, end: $end) { usageEvents(metricName: $metricName, limit: $limit, offset: $offset) ${PAGE} }
}`);

/** Revenue knows the subscription's customer, and costing its events: the graph joins them (decision 9, D35). */
const OF_SUBSCRIPTION = internalGraphql(`query SubscriptionUsageEvents(
  $subscriptionId: String!, $start: Instant!, $end: Instant!, $metricName: String, $limit: Int!, $offset: Int!
) {
  billingSubscription(subscriptionId: $subscriptionId) {
    endUser { usageEvents(start: $start, end: $end, metricName: $metricName, limit: $limit, offset: $offset) ${PAGE} }
  }
}`);

export const usageEvents = defineRoute({
  url: '/usage/events',
  operationId: 'listUsageEvents',
  tool: 'list_usage_events',
  tag: 'Usage',
  summary: 'Recorded usage events',
  description: 'Newest first, then by id.',
  scope: 'usage:read',
  errors: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  parameters: together(
    dateRange({ required: true, daysMax: 90 }),
    textParameter({
      name: 'subscription_id',
      variable: 'subscriptionId',
      description: "Only events of this subscription's customer.",
    }),
    textParameter({ name: 'metric_name', variable: 'metricName', description: 'Lowercase, exact match.' }),
    wholeNumber({
      name: 'limit',
      variable: 'limit',
      description: 'Number of events per page.',
      minimum: 1,
      maximum: 1000,
      fallback: 100,
    }),
    wholeNumber({
      name: 'offset',
      variable: 'offset',
      description: 'Events to skip.',
      minimum: 0,
      maximum: 2_147_483_647,
      fallback: 0,
    }),
  ),
  document: ALL,
  answer: ['window', 'usageEvents'],
  variant: {
    variable: 'subscriptionId',
    document: OF_SUBSCRIPTION,
    answer: ['billingSubscription', 'endUser', 'usageEvents'],
    // The response for a subscription whose customer is not an end user.
    answerOfNothing: ({ offset }) => ({ events: [], total: 0, limit: 0, offset }),
  },
  lists: {
    events: graphqlFragment(
      'fragment UsageEventItem on UsageEvent { id: eventId event_type: eventType metric_name: metricName quantity event_timestamp: eventTimestamp metadata }',
    ),
  },
  example: {
    parameters: { start_date: '2026-01-01', end_date: '2026-02-01', limit: '5' },
    response: {
      events: [
        {
          id: '019b7a3c-52d1-7c40-9d3b-6f1f0f5f7a10',
          event_type: 'ai.inference',
          metric_name: 'tokens',
          quantity: 12_800,
          event_timestamp: '2026-01-15T10:00:00.000Z',
          metadata: { agent_id: 'support', team: 'red' },
        },
      ],
      total: 1,
      limit: 1,
      offset: 0,
    },
  },
});
