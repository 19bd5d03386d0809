/** Corrects stored records by appending entries. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { appendEntries } from './revenue-record.table.ts';
import { correctRecord, type RecordFacts, type RecordState } from './correct-record.ts';
import { countCorrections } from './record-counts.ts';
import type { SyncPage } from './sync-page.ts';

/**
 * `stored`: the current state of the lines to correct. Lines missing from `wanted` are withdrawn. `isOwn` tells which
 * sources are on this page: unchanged records of other sources are not counted as skipped.
 */
export async function correctLines(
  tx: WriteTransaction,
  page: SyncPage,
  stored: ReadonlyMap<string, RecordState>,
  wanted: readonly RecordFacts[],
  now: Date,
  isOwn: (sourceId: string) => boolean = () => true,
): Promise<void> {
  const byLine = new Map(wanted.map((facts) => [facts.lineId, facts]));
  const kept = [...byLine.values()]
    .map((facts) => ({ facts, correction: correctRecord(stored.get(facts.lineId) ?? null, facts) }))
    .filter(({ facts, correction }) => correction.outcome !== 'skipped' || isOwn(facts.sourceId))
    .map(({ correction }) => correction);
  const gone = [...stored.values()]
    .filter(({ lineId, lives }) => lives && !byLine.has(lineId))
    .map((state) => correctRecord(state, null));
  const corrections = [...kept, ...gone];
  await appendEntries(
    tx,
    page.organizationId,
    corrections.flatMap(({ entries }) => entries),
    page.runId,
    now,
  );
  countCorrections(page.counts, corrections);
}
