/**
 * What every status of the processor's objects means for revenue. A status that is missing here changes nothing: its object is set aside
 * with the word, and what was booked of it stays. `status-words.test.ts` compares these tables with the pinned library of the processor.
 */
import { UnreadableObject } from './processor-error.ts';

export type StatusWords = Readonly<Record<string, boolean>>;

/** Whether an invoice has revenue. A written-off one keeps what was received. */
export const INVOICE_EARNS: StatusWords = { draft: false, open: false, paid: true, uncollectible: true, void: false };

/** Whether money of a payment has reached its invoice. */
export const INVOICE_PAYMENT_ARRIVED: StatusWords = { open: false, paid: true, canceled: false };

export const CHARGE_ARRIVED: StatusWords = { succeeded: true, pending: false, failed: false };

export const CREDIT_NOTE_TAKES: StatusWords = { issued: true, void: false };

/** Money that is on its way back, or came back to us, takes nothing. */
export const REFUND_TAKES: StatusWords = {
  pending: false,
  requires_action: false,
  succeeded: true,
  failed: false,
  canceled: false,
};

/**
 * An inquiry (`warning_…`) moves no money, a prevented dispute is followed by a refund that counts by itself. An appeal follows a loss:
 * until it is won, nothing is returned. `charge_refunded` is a word of older API versions.
 */
export const DISPUTE_TAKES: StatusWords = {
  warning_needs_response: false,
  warning_under_review: false,
  warning_closed: false,
  needs_response: false,
  under_review: false,
  won: false,
  lost: true,
  appeal_needs_response: true,
  appeal_under_review: true,
  prevented: false,
  charge_refunded: false,
};

/** Stops with an `UnreadableObject` that names the word. `unsaid` is the answer where the object has no status. */
export function meaningOf(
  words: StatusWords,
  { id, status, unsaid }: { id: string; status?: string | null | undefined; unsaid: boolean },
): boolean {
  if (status === null || status === undefined) return unsaid;
  const meaning = Object.hasOwn(words, status) ? words[status] : undefined;
  if (meaning !== undefined) return meaning;
  throw new UnreadableObject(
    `The status of ${id.slice(0, 100)} is "${status.slice(0, 100)}", which this version does not know: what was booked of it stays as it is`,
  );
}
