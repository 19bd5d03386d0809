/** Ingests providers' own responses (decision 42). */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { ingestResponses, type ResponsesResult, type SentResponses } from './ingest-responses.step.ts';
import { readProviderResponse } from '#usage/responses/provider-response.ts';

/** Fails with `VALIDATION_ERROR` unless `items` is an array of 1 to 1,000. */
export function ingestProviderResponses(context: SubgraphContext, sent: SentResponses): Promise<ResponsesResult> {
  return ingestResponses(context, 'provider-responses', sent, readProviderResponse);
}
