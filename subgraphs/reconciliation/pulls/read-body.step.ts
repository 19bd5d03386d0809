/** Reads a bill part by part: its days, their lines, and the digest of its bytes. */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import { fail } from '#kernel/errors.ts';
import { BILL_BYTES_MAX, LINES_MAX } from '../config.ts';
import { BillFormatError, type BillLine, type ReadBill } from '../lines/bill-line.ts';
import { lineKey } from '../lines/merge-lines.ts';
import { readBill } from '../readers/read-bill.ts';
import type { DayOfPull } from './bill-day.table.ts';

/** Work on one slice takes a few milliseconds. */
const SLICE_BYTES = 64 * 1024;

/** The lines of one part of the bill on one day. */
interface DayOfBill extends DayOfPull {
  readonly lines: readonly BillLine[];
}

export interface ReadBody {
  readonly bill: ReadBill;
  readonly days: readonly DayOfBill[];
  /** Digest of the bytes as they were sent. */
  readonly sha256: Buffer;
}

/** Fails with `VALIDATION_ERROR` for a file that is not a bill. */
export async function readBody(parts: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<ReadBody> {
  const hash = createHash('sha256');
  let bill: ReadBill;
  try {
    bill = await readBill(decoded(unpacked(slices(parts, (slice) => hash.update(slice)))), LINES_MAX);
  } catch (error) {
    if (error instanceof BillFormatError) return fail('VALIDATION_ERROR', `file: ${error.message}`);
    throw error;
  }
  if (bill.lines.length === 0) fail('VALIDATION_ERROR', 'file: contains no charges');
  return { bill, days: await daysOf(bill.lines), sha256: hash.digest() };
}

async function daysOf(lines: readonly BillLine[]): Promise<DayOfBill[]> {
  const groups = new Map<string, BillLine[]>();
  await mapInSlices(lines, (line) => {
    const key = `${line.day} ${line.part}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  });
  const days: DayOfBill[] = [];
  for (const ofDay of groups.values()) {
    const { day, part } = ofDay[0]!;
    const contents = await sortInSlices(await mapInSlices(ofDay, contentOf), (one, other) => (one < other ? -1 : 1));
    const hash = createHash('sha256');
    await mapInSlices(contents, (content, index) => hash.update(index === 0 ? content : `\n${content}`));
    days.push({ day, part, digest: hash.digest('hex'), lines: ofDay });
  }
  return days;
}

function contentOf(line: BillLine): string {
  const { quantity, list, discount, credit, tax, net } = line;
  const amounts = [quantity, list, discount, credit, tax, net].map((value) => value?.toFixed());
  return JSON.stringify([lineKey(line), ...amounts]);
}

async function* slices(
  parts: Iterable<Buffer> | AsyncIterable<Buffer>,
  see: (slice: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const part of parts)
    for (let from = 0; from < part.length; from += SLICE_BYTES) {
      const slice = part.subarray(from, from + SLICE_BYTES);
      see(slice);
      yield slice;
    }
}

/** Providers also offer their files as gzip. */
async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  if (first.done === true) return;
  const all = withFirst(first.value, chunks);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  let bytes = 0;
  // The iteration throws the errors of both streams.
  for await (const chunk of pipeline(Readable.from(all), createGunzip({ chunkSize: SLICE_BYTES }), () => {})) {
    bytes += (chunk as Buffer).length;
    if (bytes > BILL_BYTES_MAX) throw new BillFormatError('larger than 64 MiB when unpacked');
    yield chunk as Buffer;
  }
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new BillFormatError('not UTF-8 text');
    if (isGzipError(error)) throw new BillFormatError('not valid gzip');
    throw error;
  }
}

function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
