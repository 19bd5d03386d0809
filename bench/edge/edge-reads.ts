/** Three reads as a REST client requests them, and the equivalent GraphQL documents. */
import { graphql, internalGraphql } from '#schema/graphql.ts';

export interface EdgeRead {
  readonly name: 'small' | 'entity' | '1,000 rows';
  readonly path: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The subgraph that serves the read. */
  readonly subgraph: 'identity' | 'attribution' | 'costing';
}

const MODEL_FIELDS = `
  model_slug: modelSlug provider_slug: providerSlug total_cost: totalCost input_tokens: inputTokens output_tokens: outputTokens
  cache_creation_input_tokens: cacheCreationInputTokens cache_read_input_tokens: cacheReadInputTokens
  reasoning_tokens: reasoningTokens input_cost: inputCost output_cost: outputCost cache_creation_cost: cacheCreationCost
  cache_read_cost: cacheReadCost reasoning_cost: reasoningCost event_count: eventCount percent_of_total: percentOfTotal`;

/** `start` and `end`: ISO 8601. */
export function edgeReads(start: string, end: string, endUser: string): readonly EdgeRead[] {
  const range = `start_date=${encodeURIComponent(start)}&end_date=${encodeURIComponent(end)}`;
  return [
    {
      name: 'small',
      subgraph: 'identity',
      path: '/v1/ping',
      document: graphql(
        'query BenchPing { caller { ok organization_id: organizationId environment key_name: keyName scopes expires_at: expiresAt } }',
      ),
      variables: {},
    },
    {
      name: 'entity',
      subgraph: 'attribution',
      path: `/v1/end-user-costs/${endUser}/by-model?${range}`,
      document: graphql(`query BenchEndUserCostByModel($externalId: String!, $start: Instant!, $end: Instant!) {
        endUser(externalId: $externalId) {
          costsByModel(start: $start, end: $end) { end_user_id: endUserId models: items { ${MODEL_FIELDS} } total_cost: totalCost }
        }
      }`),
      variables: { externalId: endUser, start, end },
    },
    {
      name: '1,000 rows',
      subgraph: 'costing',
      path: `/v1/usage/events?limit=1000&${range}`,
      document:
        internalGraphql(`query BenchUsageEventsPage($start: Instant!, $end: Instant!, $limit: Int!, $offset: Int!) {
        window(start: $start, end: $end) {
          usageEvents(limit: $limit, offset: $offset) {
            events: eventList total limit offset
          }
        }
      }`),
      variables: { start, end, limit: 1000, offset: 0 },
    },
  ];
}
