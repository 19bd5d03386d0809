/** Reads and writes the next page of a run's stage, and advances the run. */
import { FULL_SYNC_SECONDS_FACTOR, OVERLAP_SECONDS, SYNC_INTERVAL_SECONDS } from '../config.ts';
import { queueConversion } from '../currencies/conversion-queue.table.ts';
import { markNoEvents, markSynced } from '../connection/payment-connection.table.ts';
import type { ProcessorPage } from '../stripe/processor.ts';
import { recordNewest, readUntil, commitCursors } from './runs/sync-cursor.table.ts';
import { moveRun, addRunNote, type SyncRunRow, widenRun } from './runs/sync-run.table.ts';
import { changedObjects } from './changed-objects.ts';
import { ProcessorError } from '../stripe/processor-error.ts';
import { isEssential, nextStage, type ProcessorList, type SyncStage } from '../stripe/sync-stages.ts';
import type { SyncPage } from '../records/sync-page.ts';
import { readEach } from '../set-aside/read-each.step.ts';
import { clearUnseen } from '../set-aside/set-aside-object.table.ts';
import { writeObjects } from '../records/write-objects.step.ts';

/** Returns the time of the connection's next step: now, or after the pause between two runs. */
export async function syncStage(page: SyncPage, run: SyncRunRow): Promise<Date> {
  const { organizationId } = page;
  const stage = run.stage as Exclude<SyncStage, 'done'>;
  const answer = await fetchPage(page, run, stage);
  if (answer === 'restart')
    return page.write((tx, now) => moveRun(tx, organizationId, run.id, stage, null, now).then(() => now));
  if (answer === 'not offered')
    return stage === 'events'
      ? widen(page, run)
      : finishPage(page, run, stage, {
          after: null,
          newest: null,
          note: `The payment processor does not offer ${stage}`,
        });
  const last = idAt(answer.objects.length - 1, answer);
  if (answer.more && (last === null || last === run.pageAfter))
    throw new ProcessorError(
      'junk',
      `The payment processor's list of ${stage} does not continue: a page ends where the previous one ended`,
    );
  if (stage === 'events') await rereadChanged(page, answer.objects);
  else await writeObjects(page, stage, answer.objects);
  return finishPage(page, run, stage, { after: answer.more ? last : null, newest: newestOf(answer), note: null });
}

async function fetchPage(
  page: SyncPage,
  run: SyncRunRow,
  stage: ProcessorList | 'events',
): Promise<ProcessorPage | 'restart' | 'not offered'> {
  const known =
    run.mode === 'full' ? undefined : (await page.write((tx) => readUntil(tx, page.organizationId))).get(stage);
  const createdFrom = known === undefined ? null : Math.max(0, known - OVERLAP_SECONDS);
  try {
    return await page.processor.page(stage, { after: run.pageAfter, createdFrom });
  } catch (error) {
    if (!(error instanceof ProcessorError)) throw error;
    // The last object of the previous page was deleted at the processor: read the list from its start again.
    if (error.kind === 'missing' && run.pageAfter !== null) return 'restart';
    if (error.kind === 'missing' && !isEssential(stage)) return 'not offered';
    if (error.kind === 'refused' && stage === 'events') return 'not offered';
    throw error;
  }
}

interface PageEnd {
  readonly after: string | null;
  readonly newest: number | null;
  readonly note: string | null;
}

async function finishPage(
  page: SyncPage,
  run: SyncRunRow,
  stage: SyncStage,
  { after, newest, note }: PageEnd,
): Promise<Date> {
  const { organizationId } = page;
  return page.write(async (tx, now) => {
    const next = after === null ? nextStage(stage) : stage;
    if (newest !== null) await recordNewest(tx, organizationId, stage, newest);
    if (note !== null) await addRunNote(tx, organizationId, run.id, note);
    await moveRun(tx, organizationId, run.id, next, after, now);
    if (next !== 'done') return now;
    await commitCursors(tx, organizationId);
    await queueConversion(tx, organizationId);
    if (run.mode === 'full') await clearUnseen(tx, organizationId, run.startedAt);
    await markSynced(tx, organizationId, run.mode, now);
    const took = (now.getTime() - Date.parse(run.startedAt)) / 1000;
    return new Date(now.getTime() + Math.max(SYNC_INTERVAL_SECONDS, took * FULL_SYNC_SECONDS_FACTOR) * 1000);
  });
}

function widen(page: SyncPage, run: SyncRunRow): Promise<Date> {
  return page.write(async (tx, now) => {
    await markNoEvents(tx, page.organizationId);
    await widenRun(tx, page.organizationId, run.id);
    return now;
  });
}

/**
 * Fetches the current state of the objects named by events. For a deleted customer, the processor returns an object
 * that says so.
 */
async function rereadChanged(page: SyncPage, events: readonly unknown[]): Promise<void> {
  const changed = (await readEach(page, 'event', events, changedObjects)).flat();
  const unique = new Map(changed.map((object) => [`${object.list} ${object.id}`, object]));
  for (const { list, id } of unique.values()) {
    const object = await page.processor.object(list, id);
    if (object !== null) await writeObjects(page, list, [object]);
  }
}

function newestOf({ objects }: ProcessorPage): number | null {
  const times = objects.flatMap((object) =>
    typeof (object as { created?: unknown } | null)?.created === 'number'
      ? [(object as { created: number }).created]
      : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

function idAt(index: number, { objects }: ProcessorPage): string | null {
  const id = (objects[index] as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : null;
}
