import type { StoredFix } from './bill-fix.table.ts';

/** True for a `RATE` or `DISCOUNT` whose repricing has not started. */
export function isUnfinished({ kind, operationId }: Pick<StoredFix, 'kind' | 'operationId'>): boolean {
  return (kind === 'RATE' || kind === 'DISCOUNT') && operationId === null;
}
