/** An ingestion request's body to its values: an event at a time, and others are served in between. */
import { mapInSlices } from '../platform/slices.ts';
import { fail } from '../schema/errors.ts';
import { parseExactJson } from '../schema/exact-json.ts';
import { splitJsonArray } from '../schema/split-json-array.ts';

/** api-specification.md, "Limits". */
const EVENTS_MAX = 100;

/** Far above what an event may hold (decisions.md D4), far below what would hold others up while it is parsed. Ours, like the body's (D6). */
const EVENT_CHARACTERS_MAX = 256 * 1024;

/** Fails with `VALIDATION_ERROR` or `PAYLOAD_TOO_LARGE`. */
export function parseEvent(text: string): unknown {
  checkSize(text, 'An event');
  return parse(text);
}

/** The same; what is no array is given as it is, for the owner of the rule to refuse. */
export async function parseBatch(text: string): Promise<unknown> {
  const array = splitJsonArray(text, EVENTS_MAX);
  if (array === null) return parseEvent(text);
  if (array.count > EVENTS_MAX) fail('VALIDATION_ERROR', `A batch must hold 1 to ${EVENTS_MAX} events; this one holds ${array.count}`);
  return mapInSlices(array.items, (item, index) => {
    checkSize(item, `Event ${index} of the batch`);
    return parse(item);
  });
}

function checkSize(text: string, what: string): void {
  if (text.length > EVENT_CHARACTERS_MAX) fail('PAYLOAD_TOO_LARGE', `${what} is larger than ${EVENT_CHARACTERS_MAX / 1024} KiB`);
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    return fail('VALIDATION_ERROR', `The request body is not valid JSON: ${(error as Error).message}`);
  }
}
