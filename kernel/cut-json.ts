/** Shortens JSON that is nested too deeply to be parsed, so that what stands beside it still is. */
const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/**
 * The same text with `null` for each array and object that lies deeper than `levels`. Linear in the text. What is cut
 * out is not looked into: it need not be JSON. A text that is not balanced is still not JSON afterwards.
 */
export function cutDeepJson(text: string, levels: number): string {
  const kept: string[] = [];
  let depth = 0;
  let keptFrom = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth++;
      if (depth === levels + 1) kept.push(text.slice(keptFrom, at));
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
      depth--;
      if (depth === levels) {
        kept.push('null');
        keptFrom = at + 1;
      }
    }
  }
  if (depth <= levels) kept.push(text.slice(keptFrom));
  return kept.join('');
}

/** Whether `value` has more than `levels` levels of arrays and objects; 1 is an array or object of scalars. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
