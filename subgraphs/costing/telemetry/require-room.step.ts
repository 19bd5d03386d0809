/** Accepts a request whose rate limit is used up if its events are already stored, so that a retry can succeed. */
import type { Database } from '#platform/database/open-database.ts';
import { fail } from '#kernel/errors.ts';
import type { ParsedUsageEvent } from '../events/parse-usage-event.ts';
import { findIdsByKey } from '../events/usage-event.table.ts';
import { distinctEvents } from '../ingestion/batch-result.ts';
import type { IngestionSource } from '../ingestion/ingestion-source.ts';

/**
 * Fails with `RATE_LIMIT_EXCEEDED` if more than `newEventsMax` of the calls are not stored yet. Invalid calls count as
 * new.
 */
export async function requireRoom(
  database: Database,
  { organizationId, livemode }: IngestionSource,
  calls: readonly ParsedUsageEvent[],
  newEventsMax: number,
): Promise<void> {
  if (calls.length <= newEventsMax) return;
  const keys = distinctEvents(calls).map(({ idempotencyKey }) => idempotencyKey);
  const stored = await database.write(organizationId, (tx) => findIdsByKey(tx, organizationId, livemode, keys));
  const invalid = calls.filter(({ ok }) => !ok).length;
  const newEvents = invalid + keys.length - stored.size;
  if (newEvents > newEventsMax)
    fail('RATE_LIMIT_EXCEEDED', `The rate limit does not allow ${newEvents} new events now`, { newEvents });
}
