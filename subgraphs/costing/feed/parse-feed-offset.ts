/**
 * Parses positions in the feed and cursors of a replay, as sent by consumers. Fails with `VALIDATION_ERROR` for values
 * that were never issued.
 */
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { FeedMark, FeedOffset, ReplayCursor } from '#schema/priced-feed.ts';
import { FEED_PLACES_MAX } from '../config.ts';

/** Parses positions in the feed. Two positions for one organization are refused. */
export function parseFeedOffsets(value: unknown): FeedOffset[] {
  if (!Array.isArray(value) || value.length > FEED_PLACES_MAX) return refuse();
  const places = value.map((item): FeedOffset => {
    const { organizationId, evidence = null } = fieldsOf<FeedOffset>(item);
    if (!isUuidText(organizationId)) return refuse();
    return { organizationId, ...parseMark(item), evidence: evidence === null ? null : parseMark(evidence) };
  });
  if (new Set(places.map(({ organizationId }) => organizationId)).size < places.length) refuse();
  return places;
}

/** Parses the cursor of a replay. */
export function parseReplayCursor(value: unknown): ReplayCursor {
  const { phase, eventId, sequence, start, end } = fieldsOf<ReplayCursor>(value);
  if ((phase !== 'entries' && phase !== 'waiting') || !isUuidText(eventId) || !Number.isSafeInteger(sequence))
    return refuse();
  return {
    phase,
    eventId,
    sequence: sequence as number,
    ...(start === undefined ? {} : { start: parseInstant(start) }),
    ...(end === undefined ? {} : { end: parseInstant(end) }),
  };
}

function parseMark(value: unknown): FeedMark {
  const { number, token } = fieldsOf<FeedMark>(value);
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return refuse();
  if (token !== null && !isUuidText(token)) return refuse();
  return { number, token };
}

function parseInstant(value: unknown): string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : refuse();
}

function fieldsOf<T>(value: unknown): Partial<Record<keyof T, unknown>> {
  return typeof value === 'object' && value !== null ? value : refuse();
}

function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value);
}

function refuse(): never {
  return fail('VALIDATION_ERROR', 'An offset must be one that the feed returned');
}
