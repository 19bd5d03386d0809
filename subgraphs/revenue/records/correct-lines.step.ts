/** Brings stored records to what they should be, by appending. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { appendEntries } from './revenue-record.table.ts';
import { correctRecord, type RecordFacts, type RecordState } from './correct-record.ts';
import { countCorrections } from './record-counts.ts';
import type { SyncPage } from './sync-page.ts';

/**
 * `stored` are the lines in question; those that `wanted` does not hold are taken back. Looked at next to the page's own objects, an
 * unchanged record of another source is not counted as skipped: it has its own page.
 */
export async function correctLines(
  em: EntityManager,
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
    em,
    page.organizationId,
    corrections.flatMap(({ entries }) => entries),
    page.runId,
    now,
  );
  countCorrections(page.counts, corrections);
}
