/** Counts accepted and rejected events for `/metrics`. */
import { counter } from '#platform/metrics.ts';

export const acceptedEvents = counter('books_usage_events_accepted_total', 'Usage events accepted, resends included.');
export const rejectedEvents = counter('books_usage_events_rejected_total', 'Usage events rejected.', ['code']);
