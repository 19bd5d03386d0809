/** What became of a repeat of a stored event (decision 76; decision 9, D66 and D69). */

export type RepeatOutcome =
  | { readonly kind: 'same' }
  /** The first event stands; these fields of the repeat differ. */
  | { readonly kind: 'differs'; readonly fields: readonly string[] }
  /** Its counts stand now. */
  | { readonly kind: 'replaced'; readonly message: string }
  /** It is about another call, and nothing of it is stored. */
  | { readonly kind: 'conflict'; readonly message: string };
