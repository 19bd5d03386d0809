/** Ingests one event as sent (contract.md, "Single event rules"; decision 9, D2, D12). */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { type ErrorCode, fail } from '#kernel/errors.ts';
import { acceptedEvents, rejectedEvents } from './event-counters.step.ts';
import { ingestEvents } from './ingest-events.step.ts';
import { type IngestionResult, OUT_OF_CREDITS, resultOf } from './ingestion-result.ts';
import { ingestionSource } from './ingestion-source.ts';
import { settleRepeats } from './settle-repeats.step.ts';
import { eventParser } from '../events/read-record.ts';

export interface SingleResult {
  readonly result: IngestionResult;
  /** Text of the header `X-Service-Usage-Warning`; null if the header is not sent. */
  readonly usage_warning: string | null;
}

const PAST_SOFT_LIMIT = 'The soft limit of the plan is passed; events are still accepted while there are credits';

/** Fails with `VALIDATION_ERROR`, or with `PAYMENT_REQUIRED` if no credit is left; the event is then not stored. */
export async function ingestUsageEvent(context: SubgraphContext, item: unknown): Promise<SingleResult> {
  const source = ingestionSource(context.principal, now());
  const parsed = eventParser(context.log)(item);
  if (!parsed.ok) refuse('VALIDATION_ERROR', parsed.message);
  const [outcome] = await ingestEvents(context.database, source, [parsed.event], context.log);
  if (outcome === undefined) throw new Error('Ingesting one event returned no result');
  const { draft, acceptance, flagContext } = outcome;
  if (acceptance.outcome === 'uncovered') {
    refuse('PAYMENT_REQUIRED', OUT_OF_CREDITS, { actionHint: 'BUY_CREDITS', retryable: false });
  }
  const repeats =
    acceptance.outcome === 'resent'
      ? await settleRepeats(context.database, source, [{ eventId: acceptance.eventId, draft }], 'first')
      : null;
  acceptedEvents.inc();
  return {
    result: resultOf(draft, acceptance, flagContext, repeats?.get(draft)),
    usage_warning: acceptance.outcome === 'new' && acceptance.isPastSoftLimit ? PAST_SOFT_LIMIT : null,
  };
}

function refuse(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>): never {
  rejectedEvents.inc({ code });
  return fail(code, message, details);
}
