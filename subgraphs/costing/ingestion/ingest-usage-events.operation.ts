/** Ingests a batch of events as sent (contract.md, "Ingestion"; decision 9, D1 to D15). */
import { now } from '#platform/clock.ts';
import { mapInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { BATCH_EVENTS_MAX } from '../config.ts';
import { acceptedEvents, rejectedEvents } from './event-counters.step.ts';
import { ingestEvents } from './ingest-events.step.ts';
import { type BatchResult, batchResult, distinctEvents, repeatsIn } from './batch-result.ts';
import { ingestionSource } from './ingestion-source.ts';
import { settleRepeats } from './settle-repeats.step.ts';
import { eventParser } from '../events/read-record.ts';

/**
 * `items` is the parsed body. Fails with `VALIDATION_ERROR` unless it is an array of 1 to 100; errors of single items
 * are in their results. Events are durable on return. If it fails for another reason, nothing of the batch is stored.
 */
export async function ingestUsageEvents(context: SubgraphContext, items: unknown): Promise<BatchResult> {
  if (!Array.isArray(items)) fail('VALIDATION_ERROR', 'The body must be a JSON array of usage events');
  if (items.length === 0 || items.length > BATCH_EVENTS_MAX) {
    fail('VALIDATION_ERROR', `A batch must hold 1 to ${BATCH_EVENTS_MAX} events; this one holds ${items.length}`);
  }
  const source = ingestionSource(context.principal, now());
  const parsed = await mapInSlices(items, eventParser(context.log));
  const outcomes = await ingestEvents(context.database, source, distinctEvents(parsed), context.log);
  const repeats = await settleRepeats(context.database, source, repeatsIn(parsed, outcomes), 'first');
  const answer = batchResult(parsed, outcomes, repeats);
  acceptedEvents.inc(answer.accepted);
  if (answer.failed > 0)
    for (const result of answer.results) if (result.status === 'rejected') rejectedEvents.inc({ code: result.error });
  return answer;
}
