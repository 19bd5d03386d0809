/** Lists notes on the days of a window. */
import type { Window } from '#kernel/time/window.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { NOTES_PER_PAGE_MAX } from '../config.ts';
import type { Note } from '../resolvers.generated.ts';
import { listDayNotes } from './note.table.ts';
import { toNoteView } from './note-view.ts';

/** Newest day first. A day belongs to the window if any part of it does. */
export async function listNotes(context: SubgraphContext, window: Window, first: number): Promise<Note[]> {
  if (first < 1 || first > NOTES_PER_PAGE_MAX)
    fail('VALIDATION_ERROR', `first must be from 1 to ${NOTES_PER_PAGE_MAX}`);
  const organizationId = organizationOf(context);
  const from = window.start.iso.slice(0, 10);
  const until = new Date(window.end.epochMs - 1 + DAY_MS).toISOString().slice(0, 10);
  const notes = await context.database.snapshot(organizationId, (tx) =>
    listDayNotes(tx, organizationId, { from, until, limit: first }),
  );
  return notes.map(toNoteView);
}
