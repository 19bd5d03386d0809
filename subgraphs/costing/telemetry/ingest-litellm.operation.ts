/** Takes what LiteLLM reports of calls (decision 42). What it answered from its cache, and what failed, is ignored. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { ingestResponses, type ResponsesResult } from './ingest-responses.step.ts';
import { readLitellmCall } from './litellm-call.ts';

/** Fails with `VALIDATION_ERROR` unless `items` is an array of 1 to 1,000. */
export function ingestLitellm(context: SubgraphContext, items: unknown): Promise<ResponsesResult> {
  return ingestResponses(context, 'litellm', items, readLitellmCall);
}
