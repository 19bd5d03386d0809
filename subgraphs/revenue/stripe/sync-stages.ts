/**
 * The order in which a run reads the processor's lists. Customers come first, so that names are there when records are; invoices come
 * before charges, because a charge that paid one is no revenue of its own.
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

/** `events` names what has changed of what is old; only then are the lists' new objects read. */
export type SyncStage = 'events' | ProcessorList | 'done';

export function firstStage(mode: SyncMode): SyncStage {
  return mode === 'incremental' ? 'events' : 'customers';
}

export function nextStage(stage: SyncStage): SyncStage {
  if (stage === 'events') return 'customers';
  const index = (LISTS as readonly string[]).indexOf(stage);
  return LISTS[index + 1] ?? 'done';
}

/** Without these there is nothing to record; the others may be missing at a processor that has no such thing. */
export function isEssential(list: SyncStage): boolean {
  return list === 'customers' || list === 'invoices';
}
