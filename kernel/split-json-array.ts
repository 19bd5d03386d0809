/** Cuts a JSON array into the texts of its items, so that they can be parsed one by one. Parses nothing. */

import { endOfString } from './json-string.ts';

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

export interface SplitArray {
  /** The first `itemsMax` of them, with the space around them. */
  readonly items: readonly string[];
  readonly count: number;
}

/**
 * Rests after each item, for a caller that must not look at all of a long text at once. Null for what does not begin and end as an array. The text is JSON exactly where each item is: what is wrong within an item shows
 * when it is parsed.
 */
export function* splitJsonArray(text: string, itemsMax: number): Generator<void, SplitArray | null> {
  const begin = /^\s*\[/.exec(text)?.[0].length;
  if (begin === undefined) return null;
  const items: string[] = [];
  let count = 0;
  let depth = 1;
  let start = begin;
  const take = (end: number) => {
    if (++count <= itemsMax) items.push(text.slice(start, end));
    start = end + 1;
  };
  for (let at = begin; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth++;
    } else if (code === COMMA && depth === 1) {
      take(at);
      yield;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      if (--depth > 0) continue;
      if (code === CLOSE_BRACE || /\S/.test(text.slice(at + 1))) return null;
      if (count > 0 || /\S/.test(text.slice(start, at))) take(at);
      return { items, count };
    }
  }
  return null;
}
