/** Stores a bill: keeps its bytes, replaces the lines of its days, and records which days changed. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#schema/errors.ts';
import { BILL_BYTES_MAX, LINES_MAX } from '../config.ts';
import { type BillLine, BillFormatError, type ReadBill } from '../lines/bill-line.ts';
import { lineKey } from '../lines/merge-lines.ts';
import { readBill } from '../readers/read-bill.ts';
import { type DayOfPull, saveDays } from './bill-day.table.ts';
import { replaceLines } from './bill-line.table.ts';
import { findSamePull, insertPull } from './bill-pull.table.ts';

export interface StoredPull {
  readonly pullId: string;
  /** False if the newest pull of these days has the same bytes. */
  readonly isNew: boolean;
  readonly lineCount: number;
  readonly fromDay: string;
  readonly toDay: string;
}

/** Fails with `VALIDATION_ERROR` for a file that is not a bill. */
export function readBody(body: Buffer): ReadBill {
  let bill: ReadBill;
  try {
    bill = readBill(new TextDecoder('utf-8', { fatal: true }).decode(unpacked(body)));
  } catch (error) {
    if (error instanceof BillFormatError) return fail('VALIDATION_ERROR', `file: ${error.message}`);
    if (error instanceof TypeError) return fail('VALIDATION_ERROR', 'file: not UTF-8 text');
    throw error;
  }
  if (bill.lines.length === 0) fail('VALIDATION_ERROR', 'file: contains no charges');
  if (bill.lines.length > LINES_MAX)
    fail('VALIDATION_ERROR', `file: more than ${LINES_MAX} lines, after the rows of each day are added up`);
  return bill;
}

/** Providers also offer their files as gzip. */
function unpacked(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: BILL_BYTES_MAX });
  } catch {
    return fail('VALIDATION_ERROR', 'file: not valid gzip, or larger than 64 MiB when unpacked');
  }
}

/** Call in a transaction that holds the connection. */
export async function storeBill(
  tx: WriteTransaction,
  target: { readonly organizationId: string; readonly connectionId: string; readonly at: Date },
  body: Buffer,
  { lines }: ReadBill,
): Promise<StoredPull> {
  const { organizationId, connectionId, at } = target;
  const sha256 = createHash('sha256').update(body).digest();
  const same = await findSamePull(tx, { organizationId, connectionId, sha256 });
  if (same !== null) {
    const { id: pullId, lineCount, fromDay, toDay } = same;
    return { pullId, isNew: false, lineCount, fromDay, toDay };
  }
  const id = uuidsV7(1)[0]!;
  const fromDay = lines.reduce((least, { day }) => (day < least ? day : least), lines[0]!.day);
  const toDay = lines.reduce((most, { lastDay }) => (lastDay > most ? lastDay : most), lines[0]!.lastDay);
  await insertPull(tx, {
    organizationId,
    id,
    connectionId,
    fromDay,
    toDay,
    fetchedAt: at,
    sha256,
    lineCount: lines.length,
    body,
  });
  await replaceLines(tx, { organizationId, connectionId, id }, lines);
  await saveDays(tx, { organizationId, connectionId, id, fetchedAt: at }, daysOf(lines));
  return { pullId: id, isNew: true, lineCount: lines.length, fromDay, toDay };
}

function daysOf(lines: readonly BillLine[]): DayOfPull[] {
  const groups = Map.groupBy(lines, ({ day, part }) => `${day} ${part}`);
  return [...groups.values()].map((ofDay) => {
    const { day, part } = ofDay[0]!;
    const digest = createHash('sha256').update(ofDay.map(contentOf).sort().join('\n')).digest('hex');
    return { day, part, digest };
  });
}

function contentOf(line: BillLine): string {
  const { quantity, list, discount, credit, tax, net } = line;
  return JSON.stringify([
    lineKey(line),
    ...[quantity, list, discount, credit, tax, net].map((value) => value?.toFixed()),
  ]);
}
