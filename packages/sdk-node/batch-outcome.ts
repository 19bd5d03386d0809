/** What became of a batch and of each of its events. */

/** `slow`: no credit or too fast. `later`: the service is away or in trouble. `invalid`: it will never be taken. */
export type ItemOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'slow' | 'later'; readonly message: string };

export interface BatchOutcome {
  readonly items: readonly ItemOutcome[];
  /** The service's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** The batch as a whole is refused: parts of it may be taken. */
  readonly isDivisible: boolean;
}
