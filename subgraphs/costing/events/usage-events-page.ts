/** A page of stored events as readers see it (contract.md, "Usage events page"). */
import { canonicalInstant } from '../../../kernel/time/instant.ts';
import { fail } from '../../../schema/errors.ts';
import { PAGE_EVENTS_MAX } from '../config.ts';
import { readMetadata, type StoredAttribution } from './read-metadata.ts';
import { EVENT_TYPE, METRIC_NAME } from './usage-metric.ts';

/** Events are shown when they are asked for: as a type of the graph, or in the contract's own words. */
export interface UsagePageView {
  events(): UsageEventOfPage[];
  eventList(): Record<string, unknown>[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

interface UsageEventOfPage {
  readonly id: string;
  readonly page: { readonly eventTimestamp: string; readonly quantity: number; readonly metadata: unknown };
}

type StoredEvent = StoredAttribution & { readonly id: string; readonly eventTime: string; readonly quantity: number };

/** `limit` of the answer is the number of events on it. */
export function usageEventsPage(stored: readonly StoredEvent[], total: number, offset: number): UsagePageView {
  return {
    events: () => stored.map(toUsageEventView),
    eventList: () => stored.map(toUsageEventRow),
    total,
    limit: stored.length,
    offset,
  };
}

function toUsageEventView(event: StoredEvent): UsageEventOfPage {
  const { id, quantity, eventTime } = event;
  return { id, page: { quantity, eventTimestamp: canonicalInstant(eventTime), metadata: readMetadata(event) } };
}

/** An item of `events` (contract.md, "Usage events page"). */
function toUsageEventRow(event: StoredEvent): Record<string, unknown> {
  return {
    id: event.id,
    event_type: EVENT_TYPE,
    metric_name: METRIC_NAME,
    quantity: event.quantity,
    event_timestamp: canonicalInstant(event.eventTime),
    metadata: readMetadata(event),
  };
}

/** Fails with `VALIDATION_ERROR` outside `1 … 1000` and `0 …`. */
export function checkPage({ limit, offset }: { readonly limit: number; readonly offset: number }): void {
  if (limit < 1 || limit > PAGE_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${PAGE_EVENTS_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be an integer from 0');
}
