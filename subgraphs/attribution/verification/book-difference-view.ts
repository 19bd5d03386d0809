/** A difference as the API returns it. */
import type { BookDifference } from './book-difference.table.ts';

export type DifferenceView = Omit<BookDifference, 'since'> & { readonly since: Date };

/** Maximum number of differences per request. */
export const DIFFERENCES_MAX = 1_000;

export function toDifferenceView(difference: BookDifference): DifferenceView {
  return { ...difference, since: new Date(difference.since) };
}
