/**
 * Meaning of each status of the processor's objects for revenue. An object with an unknown status is set aside, and
 * its existing records stay. `status-words.test.ts` compares these tables with the processor's pinned library.
 */
import { UnreadableObject } from './processor-error.ts';

export type StatusWords = Readonly<Record<string, boolean>>;

/** True if an invoice has revenue. A written-off invoice keeps the received part. */
export const INVOICE_EARNS: StatusWords = { draft: false, open: false, paid: true, uncollectible: true, void: false };

/** True if a payment of an invoice was received. */
export const INVOICE_PAYMENT_ARRIVED: StatusWords = { open: false, paid: true, canceled: false };

export const CHARGE_ARRIVED: StatusWords = { succeeded: true, pending: false, failed: false };

export const CREDIT_NOTE_TAKES: StatusWords = { issued: true, void: false };

/** Pending, failed and canceled refunds take nothing back. */
export const REFUND_TAKES: StatusWords = {
  pending: false,
  requires_action: false,
  succeeded: true,
  failed: false,
  canceled: false,
};

/**
 * An inquiry (`warning_…`) moves no money. A prevented dispute is followed by a refund, which counts itself. An appeal
 * follows a loss and returns nothing until it is won. `charge_refunded` is from older API versions.
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

/** Throws an `UnreadableObject` for an unknown status. Returns `unsaid` if the object has none. */
export function meaningOf(
  words: StatusWords,
  { id, status, unsaid }: { id: string; status?: string | null | undefined; unsaid: boolean },
): boolean {
  if (status === null || status === undefined) return unsaid;
  const meaning = Object.hasOwn(words, status) ? words[status] : undefined;
  if (meaning !== undefined) return meaning;
  throw new UnreadableObject(
    `The status of ${id.slice(0, 100)} is "${status.slice(0, 100)}", which this version does not know: booked revenue does not change`,
  );
}
