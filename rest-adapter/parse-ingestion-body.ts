/** Parses the body of an ingestion request, one event at a time, yielding to other requests in between. */
import { JSON_DEPTH_MAX, parseExactJson } from '#kernel/json/exact-json.ts';
import {
  isShort,
  outlineOf,
  parseLong,
  parseShort,
  tooManyValues,
  UNLIMITED,
  VALUES_MAX,
} from '#platform/request-body/read-json.ts';
import { textBytes } from '#platform/request-body/read-text.ts';
import { pace } from '#platform/slices.ts';
import { fail } from '#kernel/errors.ts';
import { EVENT_DEPTH_MAX, unreadable } from '#schema/unreadable-event.ts';

/** contract.md, "Limits". */
const EVENTS_MAX = 100;

/**
 * Maximum length of an event's text: far above the size limit of an event (decision 9, D4), and small enough to parse
 * without delaying others.
 */
const EVENT_CHARACTERS_MAX = 256 * 1024;

/** Fails with `VALIDATION_ERROR`. */
export async function parseEvent(body: Buffer): Promise<unknown> {
  return (await parse(textBytes(body))) ?? unreadable('A usage event must be a JSON object');
}

/** Replaces `null`, which the variable does not accept. The subgraph refuses it, because it is not an array. */
const NO_BATCH = {};

/** Parses a batch. A body that is not an array is returned as it is, and the subgraph refuses it. Fails with `VALIDATION_ERROR`. */
export async function parseBatch(body: Buffer): Promise<unknown> {
  const bytes = textBytes(body);
  // The depth and size are checked per event.
  const limits = { ...UNLIMITED, valuesMax: VALUES_MAX, elementsMax: EVENTS_MAX };
  const { elements, elementCount, isExceeded, depth } = await outlineOf(bytes, limits);
  if (elements !== null && elementCount > EVENTS_MAX) {
    const count = isExceeded ? `more than ${elementCount}` : elementCount;
    fail('VALIDATION_ERROR', `A batch must hold 1 to ${EVENTS_MAX} events; this one holds ${count}`);
  }
  if (isExceeded) tooManyValues(VALUES_MAX);
  if (elements === null) return (await parse(bytes)) ?? NO_BATCH;
  // The array is one level.
  const isShallow = depth <= JSON_DEPTH_MAX + 1;
  const { isDue, rest } = pace();
  const events: unknown[] = [];
  for (const [start, end] of elements) {
    const event = bytes.subarray(start, end);
    events.push(isShallow && isShort(event) ? parseShort(event, { parse: parseExactJson }) : await parse(event));
    if (isDue()) await rest();
  }
  return events;
}

/**
 * An event that cannot be parsed cheaply is not parsed. It is rejected by itself; the other events are not (decision
 * 9, D65).
 */
async function parse(bytes: Buffer): Promise<unknown> {
  if (bytes.length > EVENT_CHARACTERS_MAX && bytes.toString().length > EVENT_CHARACTERS_MAX)
    return unreadable(`A usage event must not be larger than ${EVENT_CHARACTERS_MAX / 1024} KiB`);
  if ((await depthOf(bytes)) > JSON_DEPTH_MAX)
    return unreadable(`A usage event must not be nested deeper than ${EVENT_DEPTH_MAX} levels`);
  return parseLong(bytes, { parse: parseExactJson });
}

async function depthOf(bytes: Buffer): Promise<number> {
  // Too short to be nested too deeply.
  if (bytes.length <= JSON_DEPTH_MAX) return 0;
  return (await outlineOf(bytes, { ...UNLIMITED, depthMax: JSON_DEPTH_MAX, elementsMax: 0 })).depth;
}
