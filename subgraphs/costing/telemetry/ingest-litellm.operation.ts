/** Ingests calls reported by LiteLLM (decision 42). Cache hits and failed calls are ignored. */
import { isObject } from '#kernel/json/json-object.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { findMapping } from './attribute-mapping.table.ts';
import { ingestResponses, type ReadItem, type ResponsesResult, type SentResponses } from './ingest-responses.step.ts';
import { unreadable } from '#schema/unreadable-event.ts';
import { readLitellmCall } from '#usage/responses/litellm-call.ts';
import { LITELLM } from '#usage/counts/reported-cost.ts';
import { withServedModels } from './served-model.step.ts';

const NO_OBJECT: ReadItem = { ok: true, provider: LITELLM, item: unreadable('A call must be an object') };

/** Fails with `VALIDATION_ERROR` unless `items` is an array of 1 to 1,000. */
export async function ingestLitellm(context: SubgraphContext, sent: SentResponses): Promise<ResponsesResult> {
  const organizationId = organizationOf(context);
  const { bookedCosts } = await context.database.find(organizationId, (tx) => findMapping(tx, organizationId));
  const isCostBooked = bookedCosts.includes(LITELLM);
  const items = await withServedModels(context, organizationId, sent.items);
  return ingestResponses(context, LITELLM, { ...sent, items }, (item, at) =>
    isObject(item) ? readLitellmCall(item, at, isCostBooked) : NO_OBJECT,
  );
}
