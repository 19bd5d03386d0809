import { graphql } from '../../../schema/graphql.ts';
import { array, instant, number, object, text } from '../../json-schema.ts';
import { dateRange } from '../../params/date-range.ts';
import { together } from '../../params/parameter.ts';
import { textParameter } from '../../params/text-parameter.ts';
import { wholeNumber } from '../../params/whole-number.ts';
import type { Route } from '../../route.ts';

/** The list is one value: the costing subgraph writes its items as the contract names them, a thousand at once. */
const PAGE = `{
  events: eventList
  total
  limit
  offset
}`;

const ALL = graphql(`query UsageEvents($start: Instant!, $end: Instant!, $metricName: String, $limit: Int!, $offset: Int!) {
  window(start: $start, end: $end) { usageEvents(metricName: $metricName, limit: $limit, offset: $offset) ${PAGE} }
}`);

/** The subscription's customer is known to revenue, its events to costing: the graph joins them (decisions.md D35). */
const OF_SUBSCRIPTION = graphql(`query SubscriptionUsageEvents(
  $subscriptionId: String!, $start: Instant!, $end: Instant!, $metricName: String, $limit: Int!, $offset: Int!
) {
  subscription(id: $subscriptionId) {
    endUser { usageEvents(start: $start, end: $end, metricName: $metricName, limit: $limit, offset: $offset) ${PAGE} }
  }
}`);

export const usageEvents: Route = {
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
    textParameter({ name: 'subscription_id', variable: 'subscriptionId', description: 'Only events of this subscription\'s customer.' }),
    textParameter({ name: 'metric_name', variable: 'metricName', description: 'Lowercase, exact match.' }),
    wholeNumber({ name: 'limit', variable: 'limit', description: 'Events on a page.', minimum: 1, maximum: 1000, fallback: 100 }),
    wholeNumber({ name: 'offset', variable: 'offset', description: 'Events to skip.', minimum: 0, maximum: 2_147_483_647, fallback: 0 }),
  ),
  document: ({ subscriptionId }) => (subscriptionId === undefined ? ALL : OF_SUBSCRIPTION),
  answer: ({ subscriptionId }) => (subscriptionId === undefined ? ['window', 'usageEvents'] : ['subscription', 'endUser', 'usageEvents']),
  // The subscription of a customer who is no end user.
  answerOfNothing: ({ offset }) => ({ events: [], total: 0, limit: 0, offset }),
  response: object({
    events: array(object({
      id: text('The service\'s own id.', { format: 'uuid' }),
      event_type: text('Always `ai.inference`.'),
      metric_name: text('Always `tokens`.'),
      quantity: number('Input plus output tokens, as sent.'),
      event_timestamp: instant('When the event occurred.'),
      metadata: { type: 'object', description: 'What was sent as metadata, and the mapped attribution keys.' },
    }, ['metadata'])),
    total: number('Events that match.'),
    limit: number('Events on this page.'),
    offset: number('Offset used.'),
  }),
};
