/** The outcome of a repeat of a stored event (decision 76; decision 9, D66 and D69). */

export type RepeatOutcome =
  | { readonly kind: 'same' }
  /** The first event is kept; these fields of the repeat differ. */
  | { readonly kind: 'differs'; readonly fields: readonly string[] }
  /** The counts of the repeat replaced the stored ones. */
  | { readonly kind: 'replaced'; readonly message: string }
  /** The repeat is about another call and is not stored. */
  | { readonly kind: 'conflict'; readonly message: string };
