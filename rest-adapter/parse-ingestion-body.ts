/** An ingestion request's body to its values: an event at a time, and others are served in between. */
import { mapInSlices, resultInSlices } from '../platform/slices.ts';
import { fail } from '../schema/errors.ts';
import { JSON_DEPTH_MAX, parseExactJson } from '../kernel/exact-json.ts';
import { scanJson } from '../kernel/scan-json.ts';
import { splitJsonArray } from '../kernel/split-json-array.ts';
import { EVENT_DEPTH_MAX, unreadable } from '../schema/unreadable-event.ts';

/** contract.md, "Limits". */
const EVENTS_MAX = 100;

/** Far above what an event may hold (decision 9, D4), far below what would hold others up while it is parsed. */
const EVENT_CHARACTERS_MAX = 256 * 1024;

/** Fails with `VALIDATION_ERROR`. */
export function parseEvent(text: string): unknown {
  return parse(text);
}

/** The same; what is no array is given as it is, for the owner of the rule to refuse. */
export async function parseBatch(text: string): Promise<unknown> {
  const array = await resultInSlices(splitJsonArray(text, EVENTS_MAX));
  if (array === null) return parseEvent(text);
  if (array.count > EVENTS_MAX)
    fail('VALIDATION_ERROR', `A batch must hold 1 to ${EVENTS_MAX} events; this one holds ${array.count}`);
  return mapInSlices(array.items, parse);
}

/** What cannot be read cheaply is not read: its event is rejected alone, and others are not (decision 9, D65). */
function parse(text: string): unknown {
  if (text.length > EVENT_CHARACTERS_MAX)
    return unreadable(`A usage event must not be larger than ${EVENT_CHARACTERS_MAX / 1024} KiB`);
  const scan = scanJson(text);
  if (scan.depth > JSON_DEPTH_MAX)
    return unreadable(`A usage event must not be nested deeper than ${EVENT_DEPTH_MAX} levels`);
  try {
    return parseExactJson(text, scan);
  } catch (error) {
    return fail('VALIDATION_ERROR', `The request body is not valid JSON: ${(error as Error).message}`);
  }
}
