/** Subject of a trend (trend rules 2 to 8): a dimension if given, otherwise an end user, otherwise everything. */
import type { EndUserId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import { fail } from '#kernel/errors.ts';

export interface TrendQuery {
  readonly endUserId?: EndUserId | null | undefined;
  readonly dimensionKey?: string | null | undefined;
  readonly dimensionValue?: string | null | undefined;
}

export type TrendSubject =
  | { readonly kind: 'total' }
  | { readonly kind: 'end-user'; readonly id: string }
  | { readonly kind: 'dimension'; readonly key: string }
  | { readonly kind: 'value'; readonly key: string; readonly value: string };

/** Fails with `VALIDATION_ERROR` if the end user's id is not a UUID (decision 9, D31). */
export function trendSubject({ endUserId, dimensionKey, dimensionValue }: TrendQuery): TrendSubject {
  const key = dimensionKey ?? null;
  const value = dimensionValue ?? null;
  if (key !== null) return value === null ? { kind: 'dimension', key } : { kind: 'value', key, value };
  // A value without a key is ignored, and so is an end user given with it.
  if (value !== null || endUserId === null || endUserId === undefined) return { kind: 'total' };
  if (!isUuid(endUserId)) fail('VALIDATION_ERROR', 'end_user_id must be a UUID');
  return { kind: 'end-user', id: endUserId.toLowerCase() };
}
