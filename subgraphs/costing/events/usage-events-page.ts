/** A page of stored events as returned to readers (contract.md, "Usage events page"). */
import { printExactJson } from '#kernel/json/exact-json.ts';
import { PrintedList } from '#kernel/json/printed-list.ts';
import { canonicalInstant } from '#kernel/time/instant.ts';
import { pace } from '#platform/slices.ts';
import { fail } from '#kernel/errors.ts';
import { PAGE_EVENTS_MAX } from '../config.ts';
import { readMetadata } from './read-metadata.ts';
import type { UsageEventRow, UsageEventRows } from './usage-event-page.query.ts';
import { EVENT_TYPE, METRIC_NAME } from './usage-metric.ts';

/** A page of events, with the contract's field names (`eventList`) and as a GraphQL type (`events`). */
export interface UsagePageView {
  readonly eventList: PrintedList;
  events(): UsageEventOfPage[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

interface UsageEventOfPage {
  readonly id: string;
  readonly page: { readonly eventTimestamp: string; readonly quantity: number; readonly metadata: unknown };
}

/** An item of `events` (contract.md, "Usage events page"). */
interface PrintedEvent {
  readonly id: string;
  readonly event_timestamp: string;
  readonly quantity: number;
  readonly metadata: unknown;
}

/** `limit` in the response is the number of events on the page. */
export async function usageEventsPage(offset: number, { total, events }: UsageEventRows): Promise<UsagePageView> {
  const printing = pace();
  const items: string[] = [];
  for (const event of events) {
    items.push(printUsageEvent(event));
    if (printing.isDue()) await printing.rest();
  }
  const eventList = new PrintedList(items);
  return {
    eventList,
    events: () => (eventList.toJSON() as PrintedEvent[]).map(toUsageEventView),
    total,
    limit: items.length,
    offset,
  };
}

function toUsageEventView({ id, event_timestamp, quantity, metadata }: PrintedEvent): UsageEventOfPage {
  return { id, page: { quantity, eventTimestamp: event_timestamp, metadata } };
}

function printUsageEvent(row: UsageEventRow): string {
  return printExactJson({
    id: row.id,
    event_type: EVENT_TYPE,
    metric_name: METRIC_NAME,
    quantity: row.quantity,
    event_timestamp: canonicalInstant(row.eventTime),
    metadata: readMetadata(row),
  });
}

/** Fails with `VALIDATION_ERROR` for a limit outside `1 … 1000` or a negative offset. */
export function checkPage({ limit, offset }: { readonly limit: number; readonly offset: number }): void {
  if (limit < 1 || limit > PAGE_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${PAGE_EVENTS_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be an integer, 0 or more');
}
