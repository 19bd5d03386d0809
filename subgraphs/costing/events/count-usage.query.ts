/**
 * Counts live events of a window without scanning them, regardless of their cost status (decision 9, D36). Whole hours
 * are in the counters, which include every processed event. The queue lists the unprocessed ones. Only partial hours
 * are scanned. An event moves from the queue to a counter in one transaction, and one statement sees one snapshot, so
 * the sum is exact.
 */
import { queryOne } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';

/** Events and tokens by hour, possibly in several rows per hour. Parameters: see `countParameters`. */
export const COUNTED_HOURS = `
  select hour, completed + failed + pending_rate_card as events, quantity
  from cost_hour where organization_id = $1 and hour >= $4 and hour < $5
  union all
  select date_trunc('hour', event_time, 'UTC'), 1, input_tokens + output_tokens
  from pricing_job
  cross join lateral unnest(event_ids) as pending(id)
  join usage_event on usage_event.organization_id = $1 and usage_event.id = pending.id
  where pricing_job.organization_id = $1 and livemode and event_time >= $4 and event_time < $5
  union all ${partialHour('$2', '$4')}
  union all ${partialHour('$5', '$3')}`;

/** The events of one partial hour, summed in the database. */
function partialHour(from: string, to: string): string {
  return `
  select date_trunc('hour', min(event_time), 'UTC'), count(*), sum(input_tokens + output_tokens)
  from usage_event where organization_id = $1 and livemode and event_time >= ${from} and event_time < ${to} having count(*) > 0`;
}

/** `$1` to `$5` of `COUNTED_HOURS`: organization, window, and the whole hours within it. */
export function countParameters(organizationId: string, window: Window): readonly string[] {
  const hours = wholeUnits(window, 'hour');
  return [organizationId, window.start.iso, window.end.iso, hours.start.iso, hours.end.iso];
}

export interface UsageCount {
  readonly events: number;
  /** Input plus output tokens. */
  readonly quantity: number;
}

export async function countUsage(tx: Transaction, organizationId: string, window: Window): Promise<UsageCount> {
  return queryOne<UsageCount>(
    tx,
    `
    select coalesce(sum(events), 0)::float8 as events, coalesce(sum(quantity), 0)::float8 as quantity
    from (${COUNTED_HOURS}) as counted`,
    countParameters(organizationId, window),
  );
}
