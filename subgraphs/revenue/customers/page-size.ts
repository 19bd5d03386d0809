/** Page limits of all lists with `limit` and `offset`. */
import { fail } from '#schema/errors.ts';

const PAGE_MAX = 100;
/** Maximum page size of a Relay connection. */
export const CONNECTION_PAGE_MAX = 200;

/** Fails with `VALIDATION_ERROR` if `limit` or `offset` is out of range. */
export function pageOf({ limit, offset = 0 }: { limit: number; offset?: number }): { limit: number; offset: number } {
  if (limit < 1 || limit > PAGE_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${PAGE_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be zero or positive');
  return { limit, offset };
}
