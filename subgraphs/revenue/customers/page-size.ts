/** The bound of every list that a person pages through. */
import { fail } from '../../../schema/errors.ts';

const PAGE_MAX = 100;
/** Of a connection. */
export const CONNECTION_PAGE_MAX = 200;

/** Stops with `VALIDATION_ERROR` for a page that is empty, too long, or before the beginning. */
export function pageOf({ limit, offset = 0 }: { limit: number; offset?: number }): { limit: number; offset: number } {
  if (limit < 1 || limit > PAGE_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${PAGE_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be zero or positive');
  return { limit, offset };
}
