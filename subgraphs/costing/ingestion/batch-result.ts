/** The result of a batch: one result per item, in the order of the request (contract.md, "Batch rules"). */
import {
  type Acceptance,
  type FlagContext,
  type IngestionResult,
  rejected,
  resent,
  resultOf,
} from './ingestion-result.ts';
import type { Repeat } from './judge-repeats.ts';
import type { RepeatOutcome } from './repeat-outcome.ts';
import type { ParsedUsageEvent, UsageEventDraft } from '../events/parse-usage-event.ts';

export interface BatchResult {
  /** Includes flagged items (decision 9, D15). */
  readonly accepted: number;
  readonly failed: number;
  readonly results: readonly ({ readonly index: number } & IngestionResult)[];
}

/** The events to store. If two have the same key, the first one is used (decision 9, D9). */
export function distinctEvents(items: readonly ParsedUsageEvent[]): UsageEventDraft[] {
  const byKey = new Map<string, UsageEventDraft>();
  for (const item of items) {
    if (item.ok && !byKey.has(item.event.idempotencyKey)) byKey.set(item.event.idempotencyKey, item.event);
  }
  return [...byKey.values()];
}

/** The outcome of one of the distinct events, with its context. */
export interface Outcome {
  readonly draft: UsageEventDraft;
  readonly acceptance: Acceptance;
  readonly flagContext: FlagContext;
}

/** Every item gets a result: its error, its outcome, or the outcome of the event with its key. */
export function batchResult(
  items: readonly ParsedUsageEvent[],
  outcome: readonly Outcome[],
  repeats: ReadonlyMap<UsageEventDraft, RepeatOutcome> = NO_REPEATS,
): BatchResult {
  const byKey = outcomesByKey(outcome);
  let failed = 0;
  const results = items.map((item, index) => {
    const result = item.ok
      ? resultOfItem(item.event, byKey.get(item.event.idempotencyKey), repeats.get(item.event))
      : rejected('VALIDATION_ERROR', item.message);
    if (result.status === 'rejected') failed++;
    return { index, ...result };
  });
  return { accepted: items.length - failed, failed, results };
}

const NO_REPEATS: ReadonlyMap<UsageEventDraft, RepeatOutcome> = new Map();

/** Events of the request whose keys occurred before, in the request or in stored events. */
export function repeatsIn(items: readonly ParsedUsageEvent[], outcome: readonly Outcome[]): Repeat[] {
  const byKey = outcomesByKey(outcome);
  return items.flatMap((item) => {
    const of = item.ok ? byKey.get(item.event.idempotencyKey) : undefined;
    if (!item.ok || of === undefined || of.acceptance.outcome === 'uncovered') return [];
    const isFirst = of.draft === item.event && of.acceptance.outcome === 'new';
    return isFirst ? [] : [{ eventId: of.acceptance.eventId, draft: item.event }];
  });
}

function outcomesByKey(outcome: readonly Outcome[]): Map<string, Outcome> {
  return new Map(outcome.map((one) => [one.draft.idempotencyKey, one]));
}

function resultOfItem(
  event: UsageEventDraft,
  outcome: Outcome | undefined,
  repeat: RepeatOutcome | undefined,
): IngestionResult {
  if (outcome === undefined) return rejected('INTERNAL_SERVER_ERROR', 'The event was not stored. Send it again');
  const { draft, acceptance, flagContext } = outcome;
  if (draft !== event && acceptance.outcome === 'new') return resent(acceptance.eventId, repeat);
  return resultOf(draft, acceptance, flagContext, repeat);
}
