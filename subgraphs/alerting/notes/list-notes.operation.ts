/** Lists notes on the days of a window. */
import { checkFirst } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { addDays, dayOf } from '#kernel/time/utc-day.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { NOTES_PER_PAGE_MAX } from '../config.ts';
import type { Note } from '../resolvers.generated.ts';
import { listDayNotes } from './note.table.ts';
import { toNoteView } from './note-view.ts';

/** Notes on the days of a window, newest day first. A day belongs to the window if any part of it does. */
export async function listNotes(context: SubgraphContext, window: Window, first: number): Promise<Note[]> {
  checkFirst(first, NOTES_PER_PAGE_MAX);
  const organizationId = organizationOf(context);
  const from = dayOf(window.start.epochMs);
  const until = addDays(dayOf(window.end.epochMs - 1), 1);
  const notes = await context.database.entitySnapshot(organizationId, (tx) =>
    listDayNotes(tx, organizationId, { from, until, limit: first }),
  );
  return notes.map(toNoteView);
}
