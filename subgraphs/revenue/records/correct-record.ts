/** Entries to append so that a line's entries add up to the processor's current state. Entries are never rewritten. */
import { type Money, money } from '#kernel/money.ts';

/** Content of a record, independent of its source. */
export interface RecordFacts {
  readonly lineId: string;
  readonly kind: 'invoice_line' | 'credit_note' | 'refund' | 'dispute';
  readonly sourceId: string;
  readonly invoiceId: string;
  readonly position: number;
  readonly customerId: string | null;
  /** In major units of the currency. */
  readonly amount: Money;
  readonly currency: string;
  /** Seconds since 1970. */
  readonly periodStart: number;
  readonly periodEnd: number;
}

/** State of a line: the sum of its entries. */
export interface RecordState extends RecordFacts {
  readonly lastSequence: number;
  /** False once the record was withdrawn. */
  readonly lives: boolean;
}

export interface RecordEntry extends RecordFacts {
  readonly sequence: number;
  /** 1: the record is created; -1: it is withdrawn; 0: its amount changes. */
  readonly records: 1 | 0 | -1;
}

export interface Correction {
  readonly outcome: 'created' | 'updated' | 'skipped';
  readonly entries: readonly RecordEntry[];
}

const SKIPPED: Correction = { outcome: 'skipped', entries: [] };

/** `wanted` is null if the record should not exist. */
export function correctRecord(stored: RecordState | null, wanted: RecordFacts | null): Correction {
  if (stored === null)
    return wanted === null ? SKIPPED : { outcome: 'created', entries: [{ ...wanted, sequence: 0, records: 1 }] };
  const next = stored.lastSequence + 1;
  if (!stored.lives)
    return wanted === null ? SKIPPED : { outcome: 'updated', entries: [{ ...wanted, sequence: next, records: 1 }] };
  if (wanted === null) return { outcome: 'updated', entries: [takeBack(stored, next)] };
  if (!isSameAssignment(stored, wanted)) {
    return { outcome: 'updated', entries: [takeBack(stored, next), { ...wanted, sequence: next + 1, records: 1 }] };
  }
  const difference = wanted.amount.minus(stored.amount);
  if (difference.isZero()) return SKIPPED;
  return { outcome: 'updated', entries: [{ ...wanted, amount: difference, sequence: next, records: 0 }] };
}

/** Negates the sum of all entries, over the same period. */
function takeBack(stored: RecordState, sequence: number): RecordEntry {
  const { lives: _, lastSequence: __, ...facts } = stored;
  return { ...facts, amount: money('0').minus(stored.amount), sequence, records: -1 };
}

function isSameAssignment(one: RecordFacts, other: RecordFacts): boolean {
  return (
    one.customerId === other.customerId &&
    one.currency === other.currency &&
    one.invoiceId === other.invoiceId &&
    one.periodStart === other.periodStart &&
    one.periodEnd === other.periodEnd
  );
}
