/** A note as the schema describes it. */
import type { Note } from '../resolvers.generated.ts';
import type { NoteRow } from './note.table.ts';

export function toNoteView({ id, day, episodeId, text, writtenAt, writtenBy }: NoteRow): Note {
  return { id, day, episodeId, text, writtenAt: writtenAt.toISOString(), writtenBy };
}
