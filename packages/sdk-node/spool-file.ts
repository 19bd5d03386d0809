/**
 * Append-only file of events. `7 {…}` is event 7; `-7,8;` marks 7 and 8 as done. Lines torn by a full disk or a kill
 * are skipped.
 */
import type * as Fs from 'node:fs';

export interface SpoolFile {
  readonly size: number;
  /** Number of failed writes. */
  readonly errors: number;
  /** Events that are only in the file, not in memory. */
  readonly unread: number;
  /** Returns the event's number; null if it could not be written completely. */
  append(event: string): number | null;
  /**
   * Leaves the last appended event only in the file until it is read. Later events must be left there too, to keep the
   * order.
   */
  leave(): void;
  markDone(numbers: readonly number[]): void;
  /** Reads unread events in order, up to about `bytesMax`. */
  read(bytesMax: number): { readonly number: number; readonly event: string }[];
  /** True if all events are done. */
  isDone(): boolean;
  close(): void;
}

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const EVENT_LINE = /^(\d+) (\{.*\})$/;
const DONE_LINE = /^-([\d,]+);$/;

/** Opens or creates a file. Events left by an earlier process are unread. */
export function openSpoolFile(fs: typeof Fs, path: string): SpoolFile {
  const descriptor = fs.openSync(path, 'a+', 0o600);
  const doneBefore = new Set<number>();
  let size = fs.fstatSync(descriptor).size;
  let errors = 0;
  let last = 0;
  /** Events not marked as done. */
  let open = 0;
  let unread = 0;
  /** Offset of the first unread event. */
  let unreadFrom = 0;
  let lastBegan = 0;
  let isTorn = size > 0;

  for (const { line } of lines(0)) {
    const { number, done } = parseLine(line);
    for (const one of done) doneBefore.add(one);
    if (number === 0) continue;
    last = Math.max(last, number);
    open += 1;
  }
  open = unread = Math.max(open - doneBefore.size, 0);

  const write = (line: string): boolean => {
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
    try {
      const count = fs.writeSync(descriptor, bytes);
      size += count;
      isTorn = count < bytes.length;
      if (!isTorn) return true;
    } catch {
      const before = size;
      size = sizeNow(before);
      isTorn ||= size > before;
    }
    errors += 1;
    return false;
  };
  const sizeNow = (before: number): number => {
    try {
      return fs.fstatSync(descriptor).size;
    } catch {
      return before;
    }
  };

  /** Complete lines from an offset, each with its end offset. */
  function* lines(from: number): Generator<{ readonly line: string; readonly end: number }> {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let rest = Buffer.alloc(0);
    for (let at = from; ;) {
      const count = fs.readSync(descriptor, buffer, 0, buffer.length, at);
      if (count === 0) return;
      let end = at - rest.length;
      at += count;
      rest = Buffer.concat([rest, buffer.subarray(0, count)]);
      let start = 0;
      for (let newline = rest.indexOf(NEWLINE); newline !== -1; newline = rest.indexOf(NEWLINE, start)) {
        end += newline + 1 - start;
        yield { line: rest.toString('utf8', start, newline), end };
        start = newline + 1;
      }
      rest = rest.subarray(start);
    }
  }

  return {
    get size() {
      return size;
    },
    get errors() {
      return errors;
    },
    get unread() {
      return unread;
    },
    append(event) {
      last += 1;
      lastBegan = size;
      if (!write(`${last} ${event}`)) return null;
      open += 1;
      return last;
    },
    leave() {
      if (unread === 0) unreadFrom = lastBegan;
      unread += 1;
    },
    markDone(numbers) {
      if (numbers.length === 0) return;
      open -= numbers.length;
      // If this write fails, the next process sends the events again. Nothing is counted twice.
      write(`-${numbers.join(',')};`);
    },
    read(bytesMax) {
      const events: { number: number; event: string }[] = [];
      let bytes = 0;
      if (unread === 0) return events;
      for (const { line, end } of lines(unreadFrom)) {
        unreadFrom = end;
        const { number, event } = parseLine(line);
        if (number === 0 || doneBefore.has(number)) continue;
        events.push({ number, event });
        unread -= 1;
        bytes += event.length;
        if (unread === 0 || bytes >= bytesMax) return events;
      }
      // The counted events are gone, e.g. the file was truncated.
      open -= unread;
      unread = 0;
      return events;
    },
    isDone: () => open <= 0,
    close() {
      fs.closeSync(descriptor);
      if (open <= 0) fs.rmSync(path, { force: true });
    },
  };
}

/** `number` is 0 if the line is not a complete event. */
function parseLine(line: string): {
  readonly number: number;
  readonly event: string;
  readonly done: readonly number[];
} {
  const [, numbers] = DONE_LINE.exec(line) ?? [];
  if (numbers !== undefined) return { number: 0, event: '', done: numbers.split(',').map(Number) };
  const [, number, event = ''] = EVENT_LINE.exec(line) ?? [];
  return { number: isJson(event) ? Number(number) : 0, event, done: [] };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
