/** Notes that people write: on a day of the charts, or as a comment on an incident. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

export const NoteTable = defineEntity({
  name: 'Note',
  tableName: 'note',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time-ordered. */
    id: p.uuid().primary(),
    /** Of a note on a day, in UTC. */
    day: p.date().nullable(),
    /** Of a comment on an incident. */
    episodeId: p.uuid().nullable(),
    text: p.text(),
    writtenAt: p.datetime(3),
    /** Null for an operator. */
    writtenBy: p.uuid().nullable(),
  },
  indexes: [
    { name: 'note_day_index', properties: ['organizationId', 'day'] },
    { name: 'note_episode_index', properties: ['organizationId', 'episodeId'] },
  ],
  checks: [{ name: 'note_of_day_or_episode', expression: '(day is null) <> (episode_id is null)' }],
});

export interface NoteRow {
  readonly organizationId: string;
  readonly id: string;
  readonly day: string | null;
  readonly episodeId: string | null;
  readonly text: string;
  /** ISO 8601 UTC. */
  readonly writtenAt: string;
  readonly writtenBy: string | null;
}

const COLUMNS = sql.raw(
  `organization_id, id, day::text as day, episode_id, text, written_by, ${isoMillis('written_at')} as written_at`,
);

const INSERT_NOTE = statement(
  (note: Parameters<NoteRow>) =>
    sql<object>`insert into note (organization_id, id, day, episode_id, text, written_at, written_by)
      values (${note.organizationId}, ${note.id}, ${note.day}::date, ${note.episodeId}, ${note.text},
        ${note.writtenAt}::timestamptz, ${note.writtenBy})`,
);

export async function insertNote(tx: WriteTransaction, note: NoteRow): Promise<void> {
  await tx.run(INSERT_NOTE, note);
}

const DAY_NOTES = statement(
  (input: Parameters<{ organizationId: string; from: string; until: string; limit: number }>) =>
    sql<NoteRow>`select ${COLUMNS} from note
      where organization_id = ${input.organizationId} and day >= ${input.from}::date and day < ${input.until}::date
      order by day desc, id desc limit ${input.limit}`,
);

/** Notes on the days from `from`, inclusive, to `until`, exclusive: newest day first. */
export function listDayNotes(
  tx: Transaction,
  organizationId: string,
  { from, until, limit }: { readonly from: string; readonly until: string; readonly limit: number },
): Promise<NoteRow[]> {
  return tx.all(DAY_NOTES, { organizationId, from, until, limit });
}

const COMMENTS = statement(
  (input: Parameters<{ organizationId: string; episodeId: string }>) =>
    sql<NoteRow>`select ${COLUMNS} from note
      where organization_id = ${input.organizationId} and episode_id = ${input.episodeId} order by id`,
);

/** Comments on an incident, oldest first. */
export function listComments(tx: Transaction, organizationId: string, episodeId: string): Promise<NoteRow[]> {
  return tx.all(COMMENTS, { organizationId, episodeId });
}

type Place = Pick<NoteRow, 'organizationId' | 'day' | 'episodeId'>;

const COUNT_NOTES = statement(
  (input: Parameters<Place>) =>
    sql<{ here: number; total: number }>`select count(*)::int as total,
        (count(*) filter (where day = ${input.day}::date or episode_id = ${input.episodeId}))::int as here
      from note where organization_id = ${input.organizationId}`,
);

/** Number of notes at the same day or incident, and in total. */
export function countNotes(tx: WriteTransaction, place: Place): Promise<{ here: number; total: number }> {
  const { organizationId, day, episodeId } = place;
  return tx.one(COUNT_NOTES, { organizationId, day, episodeId });
}

const NOTE = statement(
  (input: Parameters<Pick<NoteRow, 'organizationId' | 'id'>>) =>
    sql<NoteRow>`select ${COLUMNS} from note where organization_id = ${input.organizationId} and id = ${input.id}`,
);

export async function findNote(tx: WriteTransaction, organizationId: string, id: string): Promise<NoteRow | null> {
  return (await tx.first(NOTE, { organizationId, id })) ?? null;
}

export async function deleteNote(tx: WriteTransaction, organizationId: string, id: string): Promise<void> {
  await tx.em.nativeDelete(NoteTable, { organizationId, id });
}

const NOTES_WITH = statement(
  (input: Parameters<{ organizationId: string; text: string }>) =>
    sql<Pick<NoteRow, 'id' | 'text'>>`select id, text from note
      where organization_id = ${input.organizationId} and position(${input.text} in text) > 0`,
);

/** Notes that contain a text. */
export function findNotesWith(
  tx: WriteTransaction,
  organizationId: string,
  text: string,
): Promise<Pick<NoteRow, 'id' | 'text'>[]> {
  return tx.all(NOTES_WITH, { organizationId, text });
}

const SET_TEXT = statement(
  (input: Parameters<Pick<NoteRow, 'organizationId' | 'id' | 'text'>>) =>
    sql<object>`update note set text = ${input.text}
      where organization_id = ${input.organizationId} and id = ${input.id}`,
);

export async function setNoteText(
  tx: WriteTransaction,
  note: Pick<NoteRow, 'organizationId' | 'id' | 'text'>,
): Promise<void> {
  await tx.run(SET_TEXT, note);
}
