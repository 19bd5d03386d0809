/** One row of an export, converted to what the ingestion endpoints accept. */

export type Fields = Readonly<Record<string, unknown>>;

/** `call`: an item for the endpoint of the source. `skipped`: not a billed call. `refused`: the row cannot be read. */
export type ConvertedRow =
  | { readonly kind: 'call'; readonly item: Fields; readonly invokedAt: string }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Reasons why a row is not a billed call, by the names that the endpoints give them. */
export const SKIP_REASONS = {
  cache_hit: 'Answered from a cache',
  failed: 'Failed call',
} as const;

/** The products whose exports can be read. */
export const HISTORY_SOURCES = ['langfuse', 'helicone', 'openrouter', 'litellm'] as const;
export type HistorySource = (typeof HISTORY_SOURCES)[number];
