/** A page of stored events as readers see it (contract.md, "Usage events page"). */
import { PrintedList } from '../../../kernel/exact-json.ts';
import { canonicalInstant } from '../../../kernel/time/instant.ts';
import { fail } from '../../../schema/errors.ts';
import { PAGE_EVENTS_MAX } from '../config.ts';
import { printMetadata, readMetadata, type StoredAttribution } from './read-metadata.ts';
import { EVENT_TYPE, METRIC_NAME } from './usage-metric.ts';

/** Events are shown when they are asked for: as a type of the graph, or in the contract's own words. */
export interface UsagePageView {
  events(): UsageEventOfPage[];
  eventList(): PrintedList;
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
    eventList: () => new PrintedList(stored.map(printUsageEvent)),
    total,
    limit: stored.length,
    offset,
  };
}

function toUsageEventView(event: StoredEvent): UsageEventOfPage {
  const { id, quantity, eventTime } = event;
  return { id, page: { quantity, eventTimestamp: canonicalInstant(eventTime), metadata: readMetadata(event) } };
}

/** An item of `events` (contract.md, "Usage events page"). A thousand of them are read as text and printed as text. */
function printUsageEvent(event: StoredEvent): string {
  const { id, quantity, eventTime } = event;
  return `{"id":"${id}",${NAMES},"quantity":${quantity},"event_timestamp":"${canonicalInstant(eventTime)}","metadata":${printMetadata(event)}}`;
}

const NAMES = `"event_type":${JSON.stringify(EVENT_TYPE)},"metric_name":${JSON.stringify(METRIC_NAME)}`;

/** Fails with `VALIDATION_ERROR` outside `1 … 1000` and `0 …`. */
export function checkPage({ limit, offset }: { readonly limit: number; readonly offset: number }): void {
  if (limit < 1 || limit > PAGE_EVENTS_MAX)
    fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${PAGE_EVENTS_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be an integer from 0');
}
