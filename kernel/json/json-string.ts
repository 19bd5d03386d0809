/** Finds the end of a string in JSON text. */

const BACKSLASH = 92;

/** Returns the index of the closing quote for the opening quote at `start`, or the text's length if it is missing. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH || !isEscaped(text, at)) return at;
  }
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
