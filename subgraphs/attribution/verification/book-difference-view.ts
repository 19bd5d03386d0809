/** A difference as the graph tells it. */
import type { BookDifference } from './book-difference.table.ts';

export type DifferenceView = Omit<BookDifference, 'since'> & { readonly since: Date };

/** So many are told at once. */
export const DIFFERENCES_MAX = 1_000;

export function toDifferenceView(difference: BookDifference): DifferenceView {
  return { ...difference, since: new Date(difference.since) };
}
