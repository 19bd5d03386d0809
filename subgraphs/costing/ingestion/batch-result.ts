/** A batch's answer: one result for each item, in the order of the request (contract.md, "Batch rules"). */
import {
  type Acceptance,
  type FlagContext,
  type IngestionResult,
  rejected,
  resent,
  resultOf,
} from './ingestion-result.ts';
import type { ParsedUsageEvent, UsageEventDraft } from '../events/parse-usage-event.ts';

export interface BatchResult {
  /** Flagged items included (decision 9, D15). */
  readonly accepted: number;
  readonly failed: number;
  readonly results: readonly ({ readonly index: number } & IngestionResult)[];
}

/** The events to store: of two with the same key the first (decision 9, D9). */
export function distinctEvents(items: readonly ParsedUsageEvent[]): UsageEventDraft[] {
  const byKey = new Map<string, UsageEventDraft>();
  for (const item of items) {
    if (item.ok && !byKey.has(item.event.idempotencyKey)) byKey.set(item.event.idempotencyKey, item.event);
  }
  return [...byKey.values()];
}

/** What became of one of the distinct events, and in which context. */
export interface Outcome {
  readonly draft: UsageEventDraft;
  readonly acceptance: Acceptance;
  readonly flagContext: FlagContext;
}

/** Every item gets its answer: what was wrong with it, what became of it, or what became of the one with its key. */
export function batchResult(items: readonly ParsedUsageEvent[], outcome: readonly Outcome[]): BatchResult {
  const byKey = new Map<string, Outcome>();
  for (const one of outcome) byKey.set(one.draft.idempotencyKey, one);
  let failed = 0;
  const results = items.map((item, index) => {
    const result = item.ok
      ? resultOfItem(item.event, byKey.get(item.event.idempotencyKey))
      : rejected('VALIDATION_ERROR', item.message);
    if (result.status === 'rejected') failed++;
    return { index, ...result };
  });
  return { accepted: items.length - failed, failed, results };
}

function resultOfItem(event: UsageEventDraft, outcome: Outcome | undefined): IngestionResult {
  if (outcome === undefined) return rejected('INTERNAL_SERVER_ERROR', 'The event was not stored. Send it again');
  const { draft, acceptance, flagContext } = outcome;
  if (draft !== event && acceptance.outcome === 'new') return resent(acceptance.eventId);
  return resultOf(draft, acceptance, flagContext);
}
