/**
 * The result that the sender of an event receives (contract.md, "Batch rules"; decision 9, D2, D8, D9, D14, D15). It is
 * one JSON value in GraphQL, so its names are the wire names.
 */
import type { EventId } from '#kernel/ids.ts';
import { DAY_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import type { ErrorCode } from '#kernel/errors.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import type { RepeatOutcome } from './repeat-outcome.ts';
import { describeUnknownFields } from '../events/unknown-fields.ts';

const OLD_AFTER_MS = DAY_MS;
const FUTURE_AFTER_MS = MINUTE_MS;

/** The result of one item, without its index. */
export type IngestionResult =
  | { readonly status: 'accepted'; readonly event_id: string; readonly message: string }
  | {
      readonly status: 'accepted_flagged';
      readonly event_id: string;
      readonly message: string;
      readonly flag_reason: string;
    }
  | { readonly status: 'rejected'; readonly error: ItemError; readonly message: string };

/** `CONFLICT`: another call was reported under this id. Only used where the id is a response's, never on `/v1`. */
type ItemError = ErrorCode | 'CONFLICT';

/** The outcome of one event. */
export type Acceptance =
  | { readonly outcome: 'new'; readonly eventId: EventId; readonly isPastSoftLimit: boolean }
  | { readonly outcome: 'resent'; readonly eventId: EventId }
  /** No credit was left: the event is not stored. */
  | { readonly outcome: 'uncovered' };

export interface FlagContext {
  readonly nowMs: number;
  /** True if a rate card matches. */
  readonly hasRateCard: boolean;
}

/** The result of an event; a new event is flagged if it needs attention. */
export function resultOf(
  draft: UsageEventDraft,
  acceptance: Acceptance,
  { nowMs, hasRateCard }: FlagContext,
  repeat?: RepeatOutcome,
): IngestionResult {
  if (acceptance.outcome === 'uncovered') return rejected('PAYMENT_REQUIRED', OUT_OF_CREDITS);
  if (acceptance.outcome === 'resent') return resent(acceptance.eventId, repeat);
  const { eventId, isPastSoftLimit } = acceptance;
  const hasPrice = hasRateCard || draft.costOverride !== null;
  const flagReason = flagEvent({ eventTimeMs: draft.eventTimeMs, nowMs, isPastSoftLimit, hasPrice });
  const unknown = describeUnknownFields(draft.unknownFields);
  const message = (text: string) => (unknown === null ? text : `${text}. ${unknown}`);
  if (flagReason === null) return { status: 'accepted', event_id: eventId, message: message(QUEUED) };
  return { status: 'accepted_flagged', event_id: eventId, message: message(FLAGGED), flag_reason: flagReason };
}

/** The result for an existing key: nothing is flagged or charged again. The message describes the outcome. */
export function resent(eventId: EventId, outcome?: RepeatOutcome): IngestionResult {
  return outcome?.kind === 'conflict'
    ? rejected('CONFLICT', outcome.message)
    : { status: 'accepted', event_id: eventId, message: messageOf(outcome) };
}

function messageOf(outcome: RepeatOutcome | undefined): string {
  if (outcome?.kind === 'replaced') return outcome.message;
  return outcome?.kind === 'differs' ? `${RESENT}. This one differs in: ${outcome.fields.join(', ')}` : RESENT;
}

export function rejected(error: ItemError, message: string): IngestionResult {
  return { status: 'rejected', error, message };
}

const QUEUED = 'Queued for cost calculation';
const FLAGGED = 'Queued for cost calculation; see flag_reason';
const RESENT = 'Received before under this idempotency_key; the first event stands';

export const OUT_OF_CREDITS =
  'The event credits are used up. Buy an event pack or move to a larger plan, then send the event again';

interface Flaggable {
  readonly eventTimeMs: number;
  readonly nowMs: number;
  /** True if this event exceeds the plan's soft limit (decision 9, D12). */
  readonly isPastSoftLimit: boolean;
  /** True if a rate card matches or the caller stated the cost. */
  readonly hasPrice: boolean;
}

/**
 * Decides which accepted events need a person's attention, with the reasons (contract.md, "States"; decision 9, D7).
 *
 * Returns the `flag_reason`: all causes in a fixed order, joined by `,`; `null` if there is none.
 */
export function flagEvent({ eventTimeMs, nowMs, isPastSoftLimit, hasPrice }: Flaggable): string | null {
  const reasons: string[] = [];
  if (nowMs - eventTimeMs > OLD_AFTER_MS) reasons.push('timestamp_too_old');
  if (eventTimeMs - nowMs > FUTURE_AFTER_MS) reasons.push('timestamp_in_future');
  if (isPastSoftLimit) reasons.push('quota_soft_limit');
  if (!hasPrice) reasons.push('no_rate_card');
  return reasons.length === 0 ? null : reasons.join(',');
}
