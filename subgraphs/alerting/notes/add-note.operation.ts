/** Writes a note on a day, or a comment on an incident. */
import { requireDay } from '#kernel/time/utc-day.ts';
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { NOTE_LENGTH_MAX, NOTES_MAX, NOTES_PER_PLACE_MAX } from '../config.ts';
import { listEpisodes } from '../episodes/alert-episode.table.ts';
import { scopesOf } from '../episodes/alert-episode-view.ts';
import type { Note, NoteAddInput } from '../resolvers.generated.ts';
import { countNotes, insertNote, type NoteRow } from './note.table.ts';
import { toNoteView } from './note-view.ts';

/** Fails with `NOT_FOUND` for an unknown incident, and with `VALIDATION_ERROR` for an invalid text or beyond a limit. */
export async function addNote(context: SubgraphContext, input: NoteAddInput): Promise<Note> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const day = input.day ?? null;
  const episodeId = input.episodeId ?? null;
  if ((day === null) === (episodeId === null)) fail('VALIDATION_ERROR', 'day or episodeId is required, but not both');
  if (day !== null) requireDay('day', day);
  const text = input.text.trim();
  if (text === '' || text.length > NOTE_LENGTH_MAX)
    fail('VALIDATION_ERROR', `text must have 1 to ${NOTE_LENGTH_MAX} characters`);
  return context.database.write(organizationId, async (tx) => {
    if (episodeId !== null) await requireEpisode(tx, context, episodeId);
    await lockOrganization(tx, 'notes', organizationId);
    await requireRoom(tx, { organizationId, day, episodeId });
    const at = now();
    const [id = ''] = uuidsV7(1);
    const note: NoteRow = {
      organizationId,
      id,
      day,
      episodeId,
      text,
      writtenAt: at,
      writtenBy: principal.accountUserId,
    };
    await insertNote(tx, note);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'note.added',
      ...actorOf(principal),
      subjectId: id,
      detail: day,
    });
    return toNoteView(note);
  });
}

async function requireEpisode(tx: WriteTransaction, context: SubgraphContext, id: string): Promise<void> {
  const filter = { state: null, ruleId: null, id, scopes: scopesOf(context.principal) };
  const isKnown =
    isUuid(id) && (await listEpisodes(tx, organizationOf(context), filter, { limit: 1, offset: 0 })).length > 0;
  if (!isKnown) fail('NOT_FOUND', 'episodeId: alert not found');
}

async function requireRoom(
  tx: WriteTransaction,
  place: Pick<NoteRow, 'organizationId' | 'day' | 'episodeId'>,
): Promise<void> {
  const { organizationId, day } = place;
  if ((await countNotes(tx, place)) >= NOTES_PER_PLACE_MAX)
    fail(
      'VALIDATION_ERROR',
      day === null
        ? `An alert can have at most ${NOTES_PER_PLACE_MAX} comments`
        : `A day can have at most ${NOTES_PER_PLACE_MAX} notes`,
    );
  if ((await countNotes(tx, { organizationId })) >= NOTES_MAX)
    fail('VALIDATION_ERROR', `An organization can have at most ${NOTES_MAX} notes and comments: delete old ones first`);
}
