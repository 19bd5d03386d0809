/** Stores a bill: keeps its bytes, replaces the lines of its days, and records which days changed. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { saveDays } from './bill-day.table.ts';
import { replaceLines } from './bill-line.table.ts';
import { findSamePull, insertPull } from './bill-pull.table.ts';
import type { PullKey } from './bill-pull-part.table.ts';
import type { ReadBody } from './read-body.step.ts';

export interface StoredPull {
  readonly pullId: string;
  /** False if the newest pull of these days has the same bytes. */
  readonly isNew: boolean;
  readonly lineCount: number;
  readonly fromDay: string;
  readonly toDay: string;
}

/** Call in a transaction that holds the connection. `saveBytes` stores its original bytes. */
export async function storeBill(
  tx: WriteTransaction,
  target: { readonly organizationId: OrganizationId; readonly connectionId: string; readonly at: Date },
  { bill: { lines }, days, sha256 }: ReadBody,
  saveBytes: (pull: PullKey) => Promise<void>,
): Promise<StoredPull> {
  const { organizationId, connectionId, at } = target;
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
  });
  await saveBytes({ organizationId, connectionId, pullId: id });
  await replaceLines(tx, { organizationId, connectionId, id }, days);
  await saveDays(tx, { organizationId, connectionId, id, fetchedAt: at }, days);
  return { pullId: id, isNew: true, lineCount: lines.length, fromDay, toDay };
}
