/** Splits a byte stream into server-sent events. */

const NEWLINE = 10;
const RETURN = 13;

export interface EventCutter {
  /** Returns the events completed by these bytes, including their closing blank line. */
  cut(bytes: Uint8Array): Uint8Array[];
  /** Returns the bytes after the last complete event. */
  rest(): Uint8Array;
}

/** An event longer than `bytesMax` is truncated. */
export function createEventCutter(bytesMax: number): EventCutter {
  let parts: Uint8Array[] = [];
  let size = 0;
  let isLineEmpty = true;

  const keep = (bytes: Uint8Array): void => {
    if (bytes.length === 0 || size > bytesMax) return;
    parts.push(bytes);
    size += bytes.length;
  };
  const release = (): Uint8Array => {
    const whole = join(parts);
    parts = [];
    size = 0;
    return whole;
  };

  return {
    cut(bytes) {
      const events: Uint8Array[] = [];
      let start = 0;
      let lineStart = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, lineStart)) {
        const length = end - lineStart;
        const isBlank = isLineEmpty && (length === 0 || (length === 1 && bytes[lineStart] === RETURN));
        lineStart = end + 1;
        isLineEmpty = true;
        if (!isBlank) continue;
        keep(bytes.subarray(start, lineStart));
        start = lineStart;
        events.push(release());
      }
      const tail = bytes.subarray(lineStart);
      if (tail.length > 1 || (tail.length === 1 && tail[0] !== RETURN)) isLineEmpty = false;
      keep(bytes.subarray(start));
      return events;
    },
    rest: release,
  };
}

/** The `data` of an event; empty if it has none, e.g. a comment. */
export function dataOf(event: Uint8Array): string {
  const lines = new TextDecoder().decode(event).split(/\r?\n/);
  return lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : [])).join('\n');
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
