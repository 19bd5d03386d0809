/**
 * Order in which a run reads the processor's lists. Customers are first, so that records have names. Invoices precede
 * charges, because a charge that paid an invoice is not revenue of its own.
 */

export const LISTS = [
  'customers',
  'subscriptions',
  'invoices',
  'charges',
  'credit_notes',
  'refunds',
  'disputes',
] as const;

export type ProcessorList = (typeof LISTS)[number];

export type SyncMode = 'full' | 'incremental';

/** An incremental run first reads `events` for changes to known objects, then each list for new objects. */
export type SyncStage = 'events' | ProcessorList | 'done';

export function firstStage(mode: SyncMode): SyncStage {
  return mode === 'incremental' ? 'events' : 'customers';
}

export function nextStage(stage: SyncStage): SyncStage {
  if (stage === 'events') return 'customers';
  const index = (LISTS as readonly string[]).indexOf(stage);
  return LISTS[index + 1] ?? 'done';
}

/** True if a sync requires the list. A processor may lack the other lists. */
export function isEssential(list: SyncStage): boolean {
  return list === 'customers' || list === 'invoices';
}
