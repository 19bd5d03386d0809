/** Counts of one sync page. */
import type { Correction } from './correct-record.ts';

export interface SyncCounts {
  customers: number;
  subscriptions: number;
  invoices: number;
  recordsCreated: number;
  recordsUpdated: number;
  recordsSkipped: number;
  recordsInOtherCurrencies: number;
}

export function noCounts(): SyncCounts {
  return {
    customers: 0,
    subscriptions: 0,
    invoices: 0,
    recordsCreated: 0,
    recordsUpdated: 0,
    recordsSkipped: 0,
    recordsInOtherCurrencies: 0,
  };
}

/** Mutates `counts`. */
export function countCorrections(counts: SyncCounts, corrections: readonly Correction[]): void {
  for (const { outcome, entries } of corrections) {
    if (outcome === 'created') counts.recordsCreated += 1;
    else if (outcome === 'updated') counts.recordsUpdated += 1;
    else counts.recordsSkipped += 1;
    if (outcome === 'created' && entries[0]?.currency !== 'usd') counts.recordsInOtherCurrencies += 1;
  }
}
