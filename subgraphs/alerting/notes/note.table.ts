/** Notes that people write: on a day of the charts, or as a comment on an incident. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

export const NoteTable = defineEntity({
  name: 'Note',
  tableName: 'note',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    /** Time-ordered. */
    id: p.uuid().primary(),
    /** The UTC day that the note is about; null for a comment on an incident. */
    day: p.date().nullable(),
    /** The incident that the comment is about; null for a note on a day. */
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

type Row = InferEntity<typeof NoteTable>;

export type NoteRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export async function insertNote(tx: WriteTransaction, note: NoteRow): Promise<void> {
  await tx.em.insert(NoteTable, note);
}

/** Notes on the days from `from`, inclusive, to `until`, exclusive: newest day first. */
export async function listDayNotes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { from, until, limit }: { readonly from: string; readonly until: string; readonly limit: number },
): Promise<NoteRow[]> {
  const where = { organizationId, day: { $gte: from, $lt: until } };
  const orderBy = { day: 'desc', id: 'desc' } as const;
  return (await tx.em.find(NoteTable, where, { orderBy, limit, disableIdentityMap: true })) as NoteRow[];
}

/** Comments on an incident, oldest first. */
export async function listComments(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  episodeId: string,
): Promise<NoteRow[]> {
  const orderBy = { id: 'asc' } as const;
  return (await tx.em.find(
    NoteTable,
    { organizationId, episodeId },
    { orderBy, disableIdentityMap: true },
  )) as NoteRow[];
}

/** Number of notes of a day or incident, or of the organization. */
export function countNotes(
  tx: WriteTransaction,
  where: Pick<NoteRow, 'organizationId'> & Partial<Pick<NoteRow, 'day' | 'episodeId'>>,
): Promise<number> {
  return tx.em.count(NoteTable, where);
}

export async function findNote(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<NoteRow | null> {
  const [note] = await tx.em.find(NoteTable, { organizationId, id }, { disableIdentityMap: true });
  return (note as NoteRow | undefined) ?? null;
}

export async function deleteNote(tx: WriteTransaction, organizationId: OrganizationId, id: string): Promise<void> {
  await tx.em.nativeDelete(NoteTable, { organizationId, id });
}

const NOTES_WITH = statement(
  (input: Parameters<{ organizationId: OrganizationId; text: string }>) =>
    sql<Pick<NoteRow, 'id' | 'text'>>`select id, text from note
      where organization_id = ${input.organizationId} and position(${input.text} in text) > 0`,
);

/** Notes that contain a text. */
export function findNotesWith(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  text: string,
): Promise<Pick<NoteRow, 'id' | 'text'>[]> {
  return tx.all(NOTES_WITH, { organizationId, text });
}

export async function setNoteText(
  tx: WriteTransaction,
  { organizationId, id, text }: Pick<NoteRow, 'organizationId' | 'id' | 'text'>,
): Promise<void> {
  await tx.em.nativeUpdate(NoteTable, { organizationId, id }, { text });
}
