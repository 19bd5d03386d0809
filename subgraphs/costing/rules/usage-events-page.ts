/** A page of stored events as readers see it (api-specification.md, "Usage events page"). */
import { fail } from '../../../schema/errors.ts';
import { PAGE_EVENTS_MAX } from '../config.ts';
import { readMetadata, type StoredAttribution } from './read-metadata.ts';
import { EVENT_TYPE, METRIC_NAME } from './usage-metric.ts';

export interface UsageEventsPage {
  readonly events: UsageEventAsRead[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface UsageEventAsRead {
  readonly id: string;
  readonly eventType: string;
  readonly metricName: string;
  readonly quantity: number;
  readonly eventTimestamp: string;
  readonly metadata: unknown;
}

type StoredEvent = StoredAttribution & { readonly id: string; readonly eventTime: string; readonly quantity: number };

/** `limit` of the answer is the number of events on it. */
export function usageEventsPage(events: readonly StoredEvent[], total: number, offset: number): UsageEventsPage {
  return { events: events.map(asRead), total, limit: events.length, offset };
}

function asRead(event: StoredEvent): UsageEventAsRead {
  return {
    id: event.id,
    eventType: EVENT_TYPE,
    metricName: METRIC_NAME,
    quantity: event.quantity,
    eventTimestamp: canonicalInstant(event.eventTime),
    metadata: readMetadata(event),
  };
}

/** Six digits of fraction only where the last three say something, like everywhere (`schema/instant.ts`). */
export function canonicalInstant(instant: string): string {
  const hasMicros = instant.length === '2026-01-31T12:00:00.000000Z'.length;
  return hasMicros && instant.endsWith('000Z') ? `${instant.slice(0, -4)}Z` : instant;
}

/** Fails with `VALIDATION_ERROR` outside `1 … 1000` and `0 …`. */
export function checkPage({ limit, offset }: { readonly limit: number; readonly offset: number }): void {
  if (limit < 1 || limit > PAGE_EVENTS_MAX) fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${PAGE_EVENTS_MAX}`);
  if (offset < 0) fail('VALIDATION_ERROR', 'offset must be an integer from 0');
}
