/**
 * Counts live events of a window without scanning them, regardless of their cost status (decision 9, D36). Whole hours
 * are in the counters, which include every processed event. The queue lists the unprocessed ones. Only partial hours
 * are scanned. An event moves from the queue to a counter in one transaction, and one statement sees one snapshot, so
 * the sum is exact.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { rowById } from '#platform/database/row-by-id.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { inWholeHours } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';

/** Events and tokens by hour, possibly in several rows per hour. Parameters: `CountInput`. */
export const COUNTED_HOURS = `
  select hour, completed + failed + pending_rate_card as events, quantity
  from cost_hour where organization_id = :organizationId and hour >= :firstHour and hour < :hoursEnd
  union all
  select date_trunc('hour', event_time, 'UTC'), 1, input_tokens + output_tokens
  from pricing_job
  cross join lateral unnest(event_ids) as pending(id)
  cross join lateral ${rowById('usage_event', ':organizationId', 'pending.id')} as event
  where pricing_job.organization_id = :organizationId and livemode and event_time >= :firstHour and event_time < :hoursEnd
  union all ${partialHour(':start', ':firstHour')}
  union all ${partialHour(':hoursEnd', ':end')}`;

/** The events of one partial hour, summed in the database. */
function partialHour(from: string, to: string): string {
  return `
  select date_trunc('hour', min(event_time), 'UTC'), count(*), sum(input_tokens + output_tokens)
  from usage_event where organization_id = :organizationId and livemode and event_time >= ${from} and event_time < ${to} having count(*) > 0`;
}

/** A window, and the whole hours within it. */
export interface CountInput {
  readonly organizationId: OrganizationId;
  readonly start: string;
  readonly end: string;
  readonly firstHour: string;
  readonly hoursEnd: string;
}

/** A window as parameters: its start and end, and the start and end of the whole hours within it. */
export function countInput(organizationId: OrganizationId, window: Window): CountInput {
  return { organizationId, ...inWholeHours(window) };
}

export interface UsageCount {
  readonly events: number;
  /** Input plus output tokens. */
  readonly quantity: number;
}

const COUNT_USAGE = statement<UsageCount, CountInput>(`
  select coalesce(sum(events), 0)::float8 as events, coalesce(sum(quantity), 0)::float8 as quantity
  from (${COUNTED_HOURS}) as counted`);

export async function countUsage(tx: Transaction, organizationId: OrganizationId, window: Window): Promise<UsageCount> {
  return tx.one(COUNT_USAGE, countInput(organizationId, window));
}
