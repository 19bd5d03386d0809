/** Deletes a note or comment. */
import { isUuid } from '#kernel/uuid.ts';
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { Note } from '../resolvers.generated.ts';
import { deleteNote as deleteRow, findNote } from './note.table.ts';
import { toNoteView } from './note-view.ts';

/** Roles that may delete other people's notes. */
const MANAGERS = ['operator', 'owner', 'admin'];

/** Returns the deleted note. Fails with `NOT_FOUND`, and with `FORBIDDEN` for someone else's note. */
export async function deleteNote(context: SubgraphContext, id: string): Promise<Note> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  return context.database.write(organizationId, async (tx) => {
    const note = isUuid(id) ? await findNote(tx, organizationId, id) : null;
    if (note === null) return fail('NOT_FOUND', 'id: note not found');
    const isOwn = note.writtenBy !== null && note.writtenBy === principal.accountUserId;
    if (!isOwn && !MANAGERS.some((role) => principal.grants.includes(role)))
      fail('FORBIDDEN', "Only owners and admins can delete other people's notes");
    await deleteRow(tx, organizationId, id);
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'note.deleted',
      ...actorOf(principal),
      subjectId: id,
      detail: note.day,
    });
    return toNoteView(note);
  });
}
